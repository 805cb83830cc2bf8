import { systemActor } from '../../contract/session-event.ts';
import { appendAuditEvent } from '../../store/audit-events/append.ts';
import { type Db, inTransaction } from '../../store/database.ts';
import { readRegistration } from '../../store/mcp-registrations/read.ts';
import { deleteClientRow, type OAuthClientRow } from '../../store/oauth-clients/clients.ts';

/** Forgets a retired client and its credentials. `isDeleted`: whether its server has deleted it; if not, it is left there. */
export async function recordClientDeletion(
  db: Db,
  client: OAuthClientRow,
  { isDeleted }: { isDeleted: boolean },
): Promise<void> {
  const { workspace_id: workspaceId, registration_id: registrationId, issuer, client_id, kind } = client;
  await inTransaction(db, async (trx) => {
    const registration = await readRegistration(trx, registrationId);
    await deleteClientRow(trx, client.id);
    if (kind === 'registered') {
      await appendAuditEvent(trx, {
        workspaceId,
        event: 'workspace.mcp.client_deleted',
        actor: systemActor,
        resource: {
          type: 'mcp_server',
          id: registration?.mcp_server_id ?? registrationId,
          name: registration?.entry_name ?? '',
        },
        data: { issuer, client_id, at_server: isDeleted },
      });
    }
  });
}
