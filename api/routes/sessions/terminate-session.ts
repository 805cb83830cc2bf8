import { isTerminal, type Session } from '../../../contract/session.ts';
import { sessionSignals } from '../../../contract/workflows.ts';
import { requestEnding } from '../../../store/sessions/ending.ts';
import { readSession } from '../../../store/sessions/read-session.ts';
import type { SessionRouteDependencies } from '../session-dependencies.ts';

/**
 * Records the ending and signals the workflow, which stops the workload and moves the session. A missing workflow is
 * restarted by a worker and finds the recorded ending. Throws `unavailable` when the workflow could not be notified.
 */
export async function terminateSession(
  { db, workflows }: Pick<SessionRouteDependencies, 'db' | 'workflows'>,
  { session, userId, reason }: { session: Session; userId: string; reason: string },
): Promise<Session> {
  if (isTerminal(session.status)) {
    return session;
  }
  await requestEnding(db, session.id, {
    by: { type: 'user', id: userId },
    status: 'terminated',
    reason,
    summary: null,
  });
  await workflows.signalSession(session.id, sessionSignals.terminate);
  return (await readSession(db, session.id)) ?? session;
}
