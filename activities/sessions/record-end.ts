/** The last step of every session. */
import { endSession } from '../../commands/sessions/move.ts';
import { type SessionEnding, sessionSignals } from '../../contract/workflows.ts';
import { listOpenRequestsOfSession } from '../../store/permission-requests/requests.ts';
import { listUnfinishedChildren, readParentId } from '../../store/sessions/tree.ts';
import type { ActivityDependencies } from '../dependencies.ts';
import { tellScheduledRun } from '../schedules/run.ts';
import { tellServices } from '../service-previews/tell-services.ts';

/** Requests of a session whose workflows must still be notified. Reads only. */
export async function listOpenRequests(
  { db }: ActivityDependencies,
  { sessionId }: { sessionId: string },
): Promise<{ requestIds: string[] }> {
  const requests = await listOpenRequestsOfSession(db, sessionId);
  return { requestIds: requests.map(({ id }) => id) };
}

/**
 * Ends the session as it was asked to, else as the workflow observed, and tells its services, its children,
 * its parent and the run of its schedule. Idempotent: a recorded end is returned as it is.
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

/**
 * Tells the workflows of the sessions below one that has ended to end theirs, and its parent's that a message
 * waits. Nobody waits for it, nor for a Temporal that does not answer: what is not told is told by the next
 * sweep, from the rows.
 */
async function tellTree(
  { db, workflows, log }: Pick<ActivityDependencies, 'db' | 'workflows' | 'log'>,
  sessionId: string,
): Promise<void> {
  const tell = (id: string, signal: keyof typeof sessionSignals) =>
    void workflows
      .signalSession(id, signal)
      .catch((err: unknown) =>
        log.warn({ err, session_id: id }, 'the session is told later of the end of another'),
      );
  for (const childId of await listUnfinishedChildren(db, sessionId)) {
    tell(childId, sessionSignals.terminate);
  }
  const parentId = await readParentId(db, sessionId);
  if (parentId !== null) {
    tell(parentId, sessionSignals.inputAvailable);
  }
}
