/** How long something blocks the event loop of this process. */
import { readFileSync } from 'node:fs';
import { setImmediate as nextRound } from 'node:timers/promises';

/** CPU time of this process with all its threads, independent of other programs on the machine. */
export function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

/** CPU time of the thread that runs the event loop, whose id is that of the process. */
function loopCpuMs(): number {
  const [runningNs] = readFileSync(`/proc/${process.pid}/task/${process.pid}/schedstat`, 'utf8').split(' ');
  return Number(runningNs) / 1e6;
}

/** The longest round of the event loop until the work was done, in its thread's CPU time, and the work's result. */
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

/**
 * The shortest `longestHold` of several rounds, of which there are no more once one is below `enoughMs`. Garbage collection, compilation and other
 * programs make some rounds longer, and none shorter; what blocks the loop by itself does so in every round.
 */
export async function shortestHold(
  work: () => Promise<unknown>,
  { rounds = 5, enoughMs = 0 } = {},
): Promise<number> {
  let shortestMs = Number.POSITIVE_INFINITY;
  for (let round = 0; round < rounds && shortestMs >= enoughMs; round += 1) {
    shortestMs = Math.min(shortestMs, (await longestHold(work)).heldMs);
  }
  return shortestMs;
}
