/** Restarts the idle clocks of sessions, without a statement for each of many requests in a second. */
import { keepNewest } from '../../lib/limits/keep-newest.ts';

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
