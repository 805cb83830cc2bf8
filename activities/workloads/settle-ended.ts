/** Closes the audit trail of ended sessions. */
import { listUnsettledSessionIds, settleCalls } from '../../store/tool-calls/record.ts';
import type { ActivityDependencies } from '../dependencies.ts';

/** For one sweep; the rest waits for the next one. */
const maxSessions = 5000;

/**
 * Records the unreported gated calls of sessions that have ended and of which this runtime has nothing left:
 * their spools were handed over, or are gone with their machines. The runtime is asked after the sessions
 * ended, since nothing starts for one that has.
 */
export async function settleEnded({
  db,
  runtime,
}: Pick<ActivityDependencies, 'db' | 'runtime'>): Promise<void> {
  const ended = await listUnsettledSessionIds(db, { limit: maxSessions });
  const left = new Set(ended.length === 0 ? [] : await runtime.list());
  for (const sessionId of ended) {
    if (!left.has(sessionId)) {
      await settleCalls(db, sessionId);
    }
  }
}
