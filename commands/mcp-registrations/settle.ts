import { partiesOf } from '../../contract/mcp-registration.ts';
import { systemActor } from '../../contract/session-event.ts';
import { appendAuditEvent } from '../../store/audit-events/append.ts';
import { type Db, inTransaction, type Transaction } from '../../store/database.ts';
import { type Attempt, type Settlement, settleRegistration } from '../../store/mcp-registrations/change.ts';
import type { RegistrationRow } from '../../store/mcp-registrations/row.ts';

/**
 * Records how an attempt ended, with its audit event; `record` is stored with it. False, and nothing is done, when the attempt has ended, or
 * another has begun.
 */
export async function settleAttempt(
  db: Db,
  registration: RegistrationRow,
  settlement: Settlement,
  record: (trx: Transaction) => Promise<void> = async () => {},
): Promise<boolean> {
  const { workspace_id: workspaceId, mcp_server_id: entryId, entry_name: name } = registration;
  const attempt: Attempt = registration;
  return inTransaction(db, async (trx) => {
    if (!(await settleRegistration(trx, attempt, settlement))) {
      return false;
    }
    await record(trx);
    if (entryId !== null) {
      await appendAuditEvent(trx, {
        workspaceId,
        event:
          settlement.status === 'ready'
            ? 'workspace.mcp.registration_completed'
            : 'workspace.mcp.registration_failed',
        actor: systemActor,
        resource: { type: 'mcp_server', id: entryId, name },
        data: factsOf(settlement),
      });
    }
    return true;
  });
}

function factsOf(settlement: Settlement): Record<string, unknown> {
  if (settlement.status === 'ready') {
    const { signIn, signInServer } = settlement;
    return { sign_in: signIn, ...(signInServer === null ? {} : partiesOf(signInServer)) };
  }
  if (settlement.status === 'resumed') {
    return { reason: settlement.reason, stays_in_use: true };
  }
  const { reason, foundServer } = settlement;
  return { reason, ...(foundServer === null ? {} : { found: partiesOf(foundServer) }) };
}
