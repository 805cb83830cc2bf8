/**
 * What work costs this process, and how long it blocks the event loop. A file that measures is
 * named in test/run-alone.mjs.
 */
import { readFileSync } from 'node:fs';
import { setImmediate as nextRound } from 'node:timers/promises';

/** CPU time of this process with all its threads, independent of other programs on the machine. */
function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

/** CPU time of the thread that runs the event loop, whose id is that of the process. */
function loopCpuMs(): number {
  const [runningNs] = readFileSync(`/proc/${process.pid}/task/${process.pid}/schedstat`, 'utf8').split(' ');
  return Number(runningNs) / 1e6;
}

/**
 * The longest round of the event loop until the work was done, in its thread's CPU
 * time, and the work's result.
 */
export async function longestHold<Result>(
  work: () => Promise<Result>,
): Promise<{ heldMs: number; result: Result }> {
  let heldMs = 0;
  let before = loopCpuMs();
  let isOver = false;
  const round = () => {
    const now = loopCpuMs();
    heldMs = Math.max(heldMs, now - before);
    before = now;
    if (!isOver) {
      setImmediate(round);
    }
  };
  setImmediate(round);
  const result = await work();
  isOver = true;
  // Work that never yielded shows only in the next round.
  await nextRound();
  return { heldMs, result };
}

type Work = () => unknown;

/** What a round of work costs, in milliseconds. The clock counts where the work is another process's. */
const costs = {
  processor: async (work: Work) => {
    const before = cpuMs();
    await work();
    return cpuMs() - before;
  },
  hold: async (work: Work) => (await longestHold(async () => work())).heldMs,
  clock: async (work: Work) => {
    const startedMs = performance.now();
    await work();
    return performance.now() - startedMs;
  },
};

export interface Comparison {
  subject: Work;
  control: Work;
  /**
   * What goes on beside the subject alone: begun before it and ended after it, neither of which is counted.
   * Resolves with how it is ended.
   */
  beside?: () => Promise<() => unknown>;
  /** What is compared: the longest hold of the event loop, processor time, or time. */
  of?: keyof typeof costs;
  /** No more rounds once the ratio is below this. */
  below: number;
  rounds?: number;
  /** What the control counts as at least: a ratio of two moments says nothing. */
  leastControlMs?: number;
}

/**
 * What the subject costs in relation to the control: the least of each in several rounds, in which they take
 * turns. Garbage collection, compilation and other programs make some rounds longer, and none shorter; what
 * costs time by itself does so in every round.
 */
export async function bestRatio({
  subject,
  control,
  beside = async () => () => undefined,
  below,
  of = 'hold',
  rounds = 10,
  leastControlMs = 0,
}: Comparison): Promise<number> {
  let [subjectMs, controlMs] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
  let ratio = Number.POSITIVE_INFINITY;
  for (let round = 0; round < rounds && ratio >= below; round += 1) {
    controlMs = Math.min(controlMs, await costs[of](control));
    const end = await beside();
    try {
      subjectMs = Math.min(subjectMs, await costs[of](subject));
    } finally {
      await end();
    }
    ratio = subjectMs / Math.max(controlMs, leastControlMs);
  }
  return ratio;
}

/** The least share of its processor time for which work holds the event loop, in several rounds. */
export async function bestHoldShare(
  work: () => Promise<unknown>,
  { below, rounds = 5 }: { below: number; rounds?: number },
): Promise<number> {
  let share = Number.POSITIVE_INFINITY;
  for (let round = 0; round < rounds && share >= below; round += 1) {
    const before = cpuMs();
    const { heldMs } = await longestHold(work);
    share = Math.min(share, heldMs / (cpuMs() - before));
  }
  return share;
}
