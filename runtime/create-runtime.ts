/**
 * What every runtime does around its driver: one start or stop at a time, giving up a start that is stopped,
 * and the check of a container's name.
 */
import * as z from 'zod';
import { createKeyedMutex } from '../lib/limits/mutex.ts';
import { abortWith } from '../lib/timing/abort-with.ts';
import type { LaunchSecrets, OnStartDelay, Runtime } from './workload.ts';

/**
 * A runtime as its driver implements it: of one session it is asked for one start or stop at a time, and for
 * containers by safe names.
 */
export interface Driver<Spec> extends Omit<Runtime<Spec>, 'start'> {
  /** Gives up when `signal` is aborted: its caller gave up, or the session is being stopped. */
  start(spec: Spec, secrets: LaunchSecrets, signal: AbortSignal, onDelay: OnStartDelay): Promise<void>;
}

/** Safe as a file name and in a query. */
const containerName = z.string().regex(/^[a-z0-9-]+$/, 'must be the name of a container');

/** Starts and stops of one session take turns; a stop makes the starts before it give up. */
export function createRuntime<Spec extends { sessionId: string }>(driver: Driver<Spec>): Runtime<Spec> {
  const runExclusive = createKeyedMutex();
  const starts = new Map<string, Set<AbortController>>();
  const stops = new Map<string, number>();
  return {
    ...driver,
    start: (spec, secrets, signal, onDelay = () => undefined) =>
      whileStarting(starts, spec.sessionId, signal, (givenUp) =>
        runExclusive(spec.sessionId, async () => {
          givenUp.throwIfAborted();
          await driver.start(spec, secrets, givenUp, onDelay);
        }),
      ),
    async stop(sessionId, signal) {
      for (const start of starts.get(sessionId) ?? []) {
        start.abort(new Error('the session is being stopped'));
      }
      stops.set(sessionId, (stops.get(sessionId) ?? 0) + 1);
      try {
        await runExclusive(sessionId, () => driver.stop(sessionId, signal));
      } finally {
        const left = (stops.get(sessionId) ?? 1) - 1;
        stops.set(sessionId, left);
        if (left === 0) {
          stops.delete(sessionId);
        }
      }
    },
    // Whoever starts or stops a session knows that it changes, and looks afterwards.
    watch: (onChange) =>
      driver.watch((sessionId) => {
        if (!starts.has(sessionId) && !stops.has(sessionId)) {
          onChange(sessionId);
        }
      }),
    logs: async (sessionId, container, tailBytes) =>
      driver.logs(sessionId, containerName.parse(container), tailBytes),
  };
}

/** Runs work that `stop` can abort, as `signal` can. */
async function whileStarting(
  starts: Map<string, Set<AbortController>>,
  sessionId: string,
  signal: AbortSignal | undefined,
  work: (givenUp: AbortSignal) => Promise<void>,
): Promise<void> {
  const controller = new AbortController();
  const unlink = abortWith(controller, signal);
  const ofSession = starts.get(sessionId) ?? new Set();
  starts.set(sessionId, ofSession.add(controller));
  try {
    await work(controller.signal);
  } finally {
    unlink();
    ofSession.delete(controller);
    if (ofSession.size === 0) {
      starts.delete(sessionId);
    }
  }
}
