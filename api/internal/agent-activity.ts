/**
 * What routes of sidecars record of the agent besides what was asked, and how they restart the idle clocks of
 * sessions, without a statement for each of many requests in a second.
 */
import { recordAtWork } from '../../commands/sessions/move.ts';
import { keepNewest } from '../../lib/limits/keep-newest.ts';
import type { Db } from '../../store/database.ts';
import { type AnyRoute, type ContextByScope, sessionIn } from '../route.ts';

interface OfSidecar
  extends Partial<ContextByScope['internal'] & ContextByScope['sidecar'] & ContextByScope['gateway']> {
  requestId: string;
}

/** What the route takes was done by the agent of a session, which therefore runs. */
export function recordingAtWork(db: Db, route: AnyRoute): AnyRoute {
  return {
    ...route,
    async handler(input) {
      const session = sessionIn(input as OfSidecar);
      if (session !== null) {
        await recordAtWork(db, session);
      }
      return route.handler(input);
    },
  };
}

/**
 * Each accepted request of the route counts as activity of its session. A check or a
 * service has no idle clock.
 */
export function restartingIdleClock(clock: IdleClock, route: AnyRoute): AnyRoute {
  return {
    ...route,
    async handler(input) {
      const answer = await route.handler(input);
      const id = sessionIn(input as OfSidecar)?.id ?? (input as OfSidecar).sidecar?.sessionId;
      if (id !== undefined) {
        await clock.restart(id);
      }
      return answer;
    },
  };
}

export interface IdleClock {
  /** Resolves when the activity is on record, now or within the last second. */
  restart(sessionId: string): Promise<void>;
}

const everyMs = 1000;
const maxSessions = 10_000;

/** `record` is called at most once a second for a session. */
export function createIdleClock(
  record: (sessionId: string) => Promise<void>,
  nowMs: () => number = () => performance.now(),
): IdleClock {
  // In the order of their records: the oldest are no longer needed.
  const recordedAtMs = new Map<string, number>();
  return {
    async restart(sessionId) {
      const atMs = nowMs();
      if (atMs - (recordedAtMs.get(sessionId) ?? Number.NEGATIVE_INFINITY) < everyMs) {
        return;
      }
      await record(sessionId);
      recordedAtMs.delete(sessionId);
      recordedAtMs.set(sessionId, atMs);
      keepNewest(recordedAtMs, maxSessions);
    },
  };
}
