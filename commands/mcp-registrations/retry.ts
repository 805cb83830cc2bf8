import { appendAuditEvent } from '../../store/audit-events/append.ts';
import { type Db, inTransaction } from '../../store/database.ts';
import { lockRegistrationOf } from '../../store/mcp-registrations/read.ts';
import { lockMcpServerForUse } from '../../store/mcp-servers/lock.ts';
import { beginAgain, type RegistrationAddresses } from './follow-entry.ts';

/**
 * Has a remote server discovered again, whatever became of it before; one whose registration is under way goes on. What was accepted stays what
 * the outcome is compared with; what is in use stays in use where nobody is reached. Returns the registration's id; null when the workspace has no such remote server.
 */
export function retryRegistration(
  db: Db,
  {
    workspaceId,
    name,
    userId,
    addresses,
  }: { workspaceId: string; name: string; userId: string; addresses: RegistrationAddresses },
): Promise<string | null> {
  return inTransaction(db, async (trx) => {
    const entry = await lockMcpServerForUse(trx, { workspaceId, name });
    const registration = entry && (await lockRegistrationOf(trx, entry.id));
    if (entry === null || registration === null) {
      return null;
    }
    if (registration.status !== 'pending') {
      const isInUse =
        registration.status === 'ready' &&
        registration.redirect_uri === addresses.redirectUri(registration.id);
      await beginAgain(trx, registration, addresses, { resumes: isInUse });
      await appendAuditEvent(trx, {
        workspaceId,
        event: 'workspace.mcp.registration_retried',
        actor: { type: 'user', id: userId },
        resource: { type: 'mcp_server', id: entry.id, name },
      });
    }
    return registration.id;
  });
}
