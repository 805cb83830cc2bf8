import { systemActor } from '../../contract/session-event.ts';
import { appendAuditEvent } from '../../store/audit-events/append.ts';
import { type Db, inTransaction, type Transaction } from '../../store/database.ts';
import { markWithdrawn, type WithdrawnDecision, wasCarriedOut } from '../../store/decisions/decisions.ts';
import { readPermissionRequest } from '../../store/permission-requests/requests.ts';

export interface StoredDecision {
  id: string;
  /** What it is about, for the audit trail. */
  subject: string;
}

/**
 * Withdraws a stored decision that nobody carried out, permanently: whoever made it is told to make
 * it again. False when it was carried out, and so stands.
 */
export function withdrawDecision(db: Db, { id, subject }: StoredDecision): Promise<boolean> {
  return inTransaction(db, async (trx) => {
    const withdrawn = await markWithdrawn(trx, id);
    if (withdrawn === null) {
      return !(await wasCarriedOut(trx, id));
    }
    await audit(trx, withdrawn, { id, subject });
    return true;
  });
}

async function audit(
  trx: Transaction,
  { workspace_id: workspaceId, request_id, grant_id, kind, user_id }: WithdrawnDecision,
  { id, subject }: StoredDecision,
): Promise<void> {
  const request = request_id === null ? null : await readPermissionRequest(trx, request_id);
  await appendAuditEvent(trx, {
    workspaceId,
    event: 'decision.withdrawn',
    actor: systemActor,
    resource: {
      type: request_id === null ? 'grant' : 'permission_request',
      id: request_id ?? grant_id ?? id,
      name: subject,
    },
    sessionId: request?.session_id ?? null,
    data: { decision_id: id, kind, decided_by: user_id },
  });
}
