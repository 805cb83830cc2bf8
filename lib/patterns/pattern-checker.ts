/**
 * Runs the expressions of manifests in a thread with a deadline, so that none blocks the process. One request
 * runs at a time; a thread that times out or dies is replaced.
 */
import { Worker } from 'node:worker_threads';
import type { JudgePattern, PatternTask, PatternVerdict } from '../../contract/patterns.ts';
import { createKeyedMutex } from '../limits/mutex.ts';
import { createSharedPermits } from '../limits/shared-permits.ts';

export interface PatternChecker {
  /**
   * Runs the tasks and returns a verdict on each. Workspaces take turns, and so do the users of one: however
   * much somebody asks for, others wait for one request of theirs. Throws PatternsBusyError when too many are
   * queued, which says nothing about the tasks.
   */
  check(owner: PatternOwner, tasks: readonly PatternTask[]): Promise<JudgePattern>;
  close(): Promise<void>;
}

/**
 * Who asks: neither a user, who may have many workspaces, nor the people of a workspace may fill the queue.
 */
export interface PatternOwner {
  userId: string;
  workspaceId: string;
}

/** Too many requests are queued; the same one can be retried later. */
export class PatternsBusyError extends Error {
  constructor() {
    super('too many expressions of manifests wait to be checked; try again');
  }
}

export interface PatternCheckerOptions {
  /** For all tasks of one request, from the moment its first one runs. */
  deadlineMs: number;
  maxWaiting: number;
  maxWaitingOfUser: number;
  maxWaitingOfWorkspace: number;
}

const defaults: PatternCheckerOptions = {
  deadlineMs: 3_000,
  maxWaiting: 64,
  maxWaitingOfUser: 4,
  maxWaitingOfWorkspace: 16,
};
const thread = new URL('./pattern-thread.mjs', import.meta.url);
/** All requests have their turns on one thread. */
const oneThread = 'thread';
const resourceLimits = { maxOldGenerationSizeMb: 128, maxYoungGenerationSizeMb: 16 };

/** Starts its thread with the first request. */
export function createPatternChecker(options: Partial<PatternCheckerOptions> = {}): PatternChecker {
  const limits = { ...defaults, ...options };
  const enter = createSharedPermits({
    whole: limits.maxWaiting,
    shares: { user: limits.maxWaitingOfUser, workspace: limits.maxWaitingOfWorkspace },
  });
  let worker: Worker | null = null;
  const runExclusive = createKeyedMutex();

  const openThread = async (): Promise<Worker> => {
    const started = await startThread();
    started.once('exit', () => {
      worker = worker === started ? null : worker;
    });
    return started;
  };

  const runNow = async (tasks: readonly PatternTask[]): Promise<PatternVerdict[]> => {
    worker ??= await openThread();
    const { verdicts, isAlive } = await runTasks(worker, tasks, limits.deadlineMs);
    if (!isAlive) {
      await worker?.terminate();
      worker = null;
    }
    return verdicts;
  };
  // In this order, whoever waits for an earlier request of a narrower share holds up nobody but themselves.
  const runFairly = ({ userId, workspaceId }: PatternOwner, work: () => Promise<PatternVerdict[]>) =>
    runExclusive(`user ${userId}`, () =>
      runExclusive(`workspace ${workspaceId}`, () => runExclusive(oneThread, work)),
    );

  return {
    async check(owner, given) {
      // Entries repeat expressions; each is run once.
      const tasks = [...new Map(given.map((task) => [keyOf(task), task])).values()];
      if (tasks.length === 0) {
        return judgeBy([], []);
      }
      const release = enter({ user: owner.userId, workspace: owner.workspaceId });
      if (typeof release !== 'function') {
        throw new PatternsBusyError();
      }
      try {
        return judgeBy(tasks, await runFairly(owner, () => runNow(tasks)));
      } finally {
        release();
      }
    },
    async close() {
      await runExclusive(oneThread, async () => worker?.terminate());
      worker = null;
    },
  };
}

/**
 * Nothing of the process's own reaches it: no environment, no arguments. It does not keep the process
 * running. Throws when it cannot start, which says nothing about any expression.
 */
function startThread(): Promise<Worker> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(thread, { env: {}, argv: [], execArgv: [], resourceLimits });
    // Stays attached: without a listener an error of the thread would crash the process.
    worker.on('error', reject);
    worker.once('exit', () => reject(new Error('the thread for expressions ended before it was ready')));
    worker.once('message', () => {
      worker.unref();
      resolve(worker);
    });
  });
}

/**
 * The task that was running at the timeout, or when the thread died, is too costly;
 * later ones stay unchecked.
 */
function runTasks(
  worker: Worker,
  tasks: readonly PatternTask[],
  deadlineMs: number,
): Promise<{ verdicts: PatternVerdict[]; isAlive: boolean }> {
  return new Promise((resolve) => {
    const verdicts: PatternVerdict[] = [];
    const settle = (isAlive: boolean) => {
      clearTimeout(timer);
      worker.off('message', onVerdict);
      worker.off('exit', onLost);
      resolve({ verdicts: isAlive ? verdicts : [...verdicts, { result: 'too_costly' }], isAlive });
    };
    const onVerdict = (verdict: PatternVerdict) => {
      verdicts.push(verdict);
      if (verdicts.length === tasks.length) {
        settle(true);
      }
    };
    const onLost = () => settle(false);
    const timer = setTimeout(onLost, deadlineMs);
    worker.on('message', onVerdict);
    worker.once('exit', onLost);
    worker.postMessage(tasks);
  });
}

function judgeBy(tasks: readonly PatternTask[], verdicts: readonly PatternVerdict[]): JudgePattern {
  const known = new Map(tasks.map((task, at) => [keyOf(task), verdicts[at]]));
  return (task) => known.get(keyOf(task)) ?? { result: 'not_checked' };
}

const keyOf = ({ regex, text }: PatternTask) => JSON.stringify([regex, text]);
