import { systemActor } from '../../contract/session-event.ts';
import { appendAuditEvent } from '../../store/audit-events/append.ts';
import { type Db, inTransaction } from '../../store/database.ts';
import { resumeRegistration } from '../../store/mcp-registrations/change.ts';
import type { RegistrationRow } from '../../store/mcp-registrations/row.ts';

/** Ends an attempt that reached nobody, of an entry that goes on to be used as before, with its audit event. False when the attempt has ended. */
export function resumeEntry(db: Db, registration: RegistrationRow, reason: string): Promise<boolean> {
  const { workspace_id: workspaceId, mcp_server_id: entryId, entry_name: name } = registration;
  return inTransaction(db, async (trx) => {
    if (!(await resumeRegistration(trx, registration, reason))) {
      return false;
    }
    if (entryId !== null) {
      await appendAuditEvent(trx, {
        workspaceId,
        event: 'workspace.mcp.registration_failed',
        actor: systemActor,
        resource: { type: 'mcp_server', id: entryId, name },
        data: { reason, stays_in_use: true },
      });
    }
    return true;
  });
}
