/** The last step of every session. */
import { endSession } from '../../commands/sessions/end.ts';
import type { SessionEnding } from '../../contract/workflows.ts';
import { listOpenRequestsOfSession } from '../../store/permission-requests/read.ts';
import type { ActivityDependencies } from '../dependencies.ts';
import { tellScheduledRun } from '../schedules/run.ts';
import { tellServices } from '../service-previews/tell-services.ts';
import { tellTree } from './tell-tree.ts';

/** Requests of a session whose workflows must still be notified. Reads only. */
export async function listOpenRequests(
  { db }: ActivityDependencies,
  { sessionId }: { sessionId: string },
): Promise<{ requestIds: string[] }> {
  const requests = await listOpenRequestsOfSession(db, sessionId);
  return { requestIds: requests.map(({ id }) => id) };
}

/**
 * Ends the session as it was asked to, else as the workflow observed, and tells its services, its children, its parent and the run of its schedule.
 * Idempotent: a recorded end is returned as it is.
 */
export async function recordEnd(
  dependencies: ActivityDependencies,
  { sessionId, observed }: { sessionId: string; observed: SessionEnding },
): Promise<SessionEnding> {
  const ending = await endSession(dependencies.db, sessionId, observed);
  await tellServices(dependencies, sessionId);
  await tellTree(dependencies, sessionId);
  await tellScheduledRun(dependencies, sessionId);
  return ending;
}
