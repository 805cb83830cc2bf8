import { partiesOf, type SignInParties, sameParties } from '../../contract/mcp-registration.ts';
import { appendAuditEvent } from '../../store/audit-events/append.ts';
import { type Db, inTransaction } from '../../store/database.ts';
import { lockRegistrationOf } from '../../store/mcp-registrations/read.ts';
import { lockMcpServerForUse } from '../../store/mcp-servers/lock.ts';
import { beginAgain, leaveServer, type RegistrationAddresses } from './follow-entry.ts';

export interface PartiesAcceptance {
  workspaceId: string;
  name: string;
  /** What the admin read. */
  parties: SignInParties;
  userId: string;
  addresses: RegistrationAddresses;
}

/** `changed`: this is not, or no longer, what waits for an admin. */
export type AcceptedParties =
  | { result: 'accepted'; registrationId: string }
  | { result: 'changed' | 'not_found' };

/**
 * Accepts another issuer or resource of a remote server, exactly as the admin read it, and starts again with it. Clients at the former issuer
 * are retired.
 */
export function acceptParties(db: Db, acceptance: PartiesAcceptance): Promise<AcceptedParties> {
  const { workspaceId, name, parties, userId, addresses } = acceptance;
  return inTransaction(db, async (trx) => {
    const entry = await lockMcpServerForUse(trx, { workspaceId, name });
    const registration = entry && (await lockRegistrationOf(trx, entry.id));
    if (entry === null || registration === null) {
      return { result: 'not_found' };
    }
    const { id, status, found_server: found, sign_in_server: before } = registration;
    if (status !== 'failed' || found === null || !sameParties(partiesOf(found), parties)) {
      return { result: 'changed' };
    }
    await beginAgain(trx, registration, addresses, { signInServer: found });
    if (before !== null && before.authorizationServer.issuer !== parties.issuer) {
      await leaveServer(trx, id);
    }
    await appendAuditEvent(trx, {
      workspaceId,
      event: 'workspace.mcp.issuer_accepted',
      actor: { type: 'user', id: userId },
      resource: { type: 'mcp_server', id: entry.id, name },
      data: { accepted: parties, before: before === null ? null : partiesOf(before) },
    });
    return { result: 'accepted', registrationId: id };
  });
}
