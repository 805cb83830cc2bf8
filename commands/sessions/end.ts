import { askedToEnd } from '../../contract/sentences.ts';
import { isTerminal } from '../../contract/session.ts';
import type { SessionEnding } from '../../contract/workflows.ts';
import { type Db, inTransaction } from '../../store/database.ts';
import { listOpenRequestsOfSession } from '../../store/permission-requests/read.ts';
import { readRequestedEnding } from '../../store/sessions/ending.ts';
import { readSession } from '../../store/sessions/read-session.ts';
import { closePermissionRequest } from '../permission-requests/close.ts';
import { moveSession } from './move.ts';

/**
 * Cancels what is still open and moves the session to its end, in one transaction. A requested end in the
 * session's row takes precedence over what was observed. Idempotent: a recorded end is returned as it is, except
 * the words of people and agents, which stay out of Temporal.
 */
export function endSession(db: Db, id: string, observed: SessionEnding): Promise<SessionEnding> {
  return inTransaction(db, async (trx) => {
    const session = await readSession(trx, id);
    if (session === null) {
      return observed;
    }
    const asked = await readRequestedEnding(trx, id);
    const ending = asked === null ? observed : { status: asked.status, reason: asked.reason };
    for (const request of await listOpenRequestsOfSession(trx, id)) {
      await closePermissionRequest(trx, request.id, { status: 'cancelled', reason: 'The session ended' });
    }
    const { status, status_reason } = await moveSession(trx, id, {
      to: ending.status,
      reason: ending.reason,
    });
    const recorded = isTerminal(status) ? { status, reason: status_reason ?? ending.reason } : ending;
    return asked === null ? recorded : { ...recorded, reason: askedToEnd };
  });
}
