/** The last step of every session. */
import { endSession } from '../../commands/sessions/end.ts';
import type { SessionEnding } from '../../contract/workflows.ts';
import { listOpenRequestsOfSession } from '../../store/permission-requests/read.ts';
import type { ActivityDependencies } from '../dependencies.ts';

/** Requests of a session whose workflows must still be notified. Reads only. */
export async function listOpenRequests(
  { db }: ActivityDependencies,
  { sessionId }: { sessionId: string },
): Promise<{ requestIds: string[] }> {
  const requests = await listOpenRequestsOfSession(db, sessionId);
  return { requestIds: requests.map(({ id }) => id) };
}

/** Ends the session as it was asked to, else as the workflow observed. Idempotent: a recorded end is returned as it is. */
export function recordEnd(
  { db }: ActivityDependencies,
  { sessionId, observed }: { sessionId: string; observed: SessionEnding },
): Promise<SessionEnding> {
  return endSession(db, sessionId, observed);
}
