import { isTerminal, type Session } from '../../../contract/session.ts';
import { requestEnding } from '../../../store/sessions/ending.ts';
import { readSession } from '../../../store/sessions/read-session.ts';
import { type EndingDependencies, tellEnding } from '../../sessions/tell-ending.ts';
import type { SessionRouteDependencies } from '../session-dependencies.ts';

/**
 * Records the ending and signals the workflow, which stops the workload and moves the session. A missing workflow is
 * restarted by a worker and finds the recorded ending.
 */
export async function terminateSession(
  dependencies: Pick<SessionRouteDependencies, 'db'> & EndingDependencies,
  { session, userId, reason }: { session: Session; userId: string; reason: string },
): Promise<Session> {
  const { db } = dependencies;
  if (isTerminal(session.status)) {
    return session;
  }
  await requestEnding(db, session.id, {
    by: { type: 'user', id: userId },
    status: 'terminated',
    reason,
    summary: null,
  });
  await tellEnding(dependencies, session.id);
  return (await readSession(db, session.id)) ?? session;
}
