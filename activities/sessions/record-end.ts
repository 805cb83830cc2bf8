/** The last step of every session. */
import { isTerminal } from '../../contract/session.ts';
import type { SessionEnding } from '../../contract/workflows.ts';
import { inTransaction } from '../../store/database.ts';
import { closePermissionRequest } from '../../store/permission-requests/close.ts';
import { listOpenRequestsOfSession } from '../../store/permission-requests/read.ts';
import { readRequestedEnding } from '../../store/sessions/ending.ts';
import { moveSession } from '../../store/sessions/move-session.ts';
import { readSession } from '../../store/sessions/read-session.ts';
import type { ActivityDependencies } from '../dependencies.ts';

/** Requests of a session whose workflows must still be notified. Reads only. */
export async function listOpenRequests(
  { db }: ActivityDependencies,
  { sessionId }: { sessionId: string },
): Promise<{ requestIds: string[] }> {
  const requests = await listOpenRequestsOfSession(db, sessionId);
  return { requestIds: requests.map(({ id }) => id) };
}

/** Who asked, and their reason, are on the session's row. */
const endedAsAsked = 'The session was asked to end';

/**
 * Cancels what is still open and moves the session to its end, in one transaction. A requested end in the
 * session's row takes precedence over what the workflow observed. Idempotent: a recorded end is returned as it is, except
 * the words of people and agents, which stay out of Temporal.
 */
export function recordEnd(
  { db }: ActivityDependencies,
  { sessionId, observed }: { sessionId: string; observed: SessionEnding },
): Promise<SessionEnding> {
  return inTransaction(db, async (trx) => {
    const session = await readSession(trx, sessionId);
    if (session === null) {
      return observed;
    }
    const asked = await readRequestedEnding(trx, sessionId);
    const ending = asked === null ? observed : { status: asked.status, reason: asked.reason };
    for (const request of await listOpenRequestsOfSession(trx, sessionId)) {
      await closePermissionRequest(trx, request.id, { status: 'cancelled', reason: 'The session ended' });
    }
    const { status, status_reason } = await moveSession(trx, sessionId, {
      to: ending.status,
      reason: ending.reason,
    });
    const recorded = isTerminal(status) ? { status, reason: status_reason ?? ending.reason } : ending;
    return asked === null ? recorded : { ...recorded, reason: endedAsAsked };
  });
}
