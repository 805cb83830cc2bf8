import { appendAuditEvent } from '../../store/audit-events/append.ts';
import { type Db, inTransaction } from '../../store/database.ts';
import { lockRegistrationOf } from '../../store/mcp-registrations/read.ts';
import { deleteMcpServer } from '../../store/mcp-servers/change.ts';
import { lockMcpServerForRemoval } from '../../store/mcp-servers/lock.ts';
import { listAllAttachingAgents } from '../../store/mcp-servers/uses.ts';

/** `in_use` comes with the agents that attach the entry. */
export type Removal =
  /** With the registration of a remote server, whose workflow deletes what it registered. */
  | { result: 'removed'; registrationId: string | null }
  | { result: 'not_found' }
  | { result: 'in_use'; uses: { type: string; id: string; name: string }[] };

/** Removes an entry that no agent attaches. The row lock prevents concurrent attachments. */
export async function removeMcpServer(
  db: Db,
  workspaceId: string,
  name: string,
  userId: string,
): Promise<Removal> {
  return inTransaction(db, async (trx) => {
    const serverId = await lockMcpServerForRemoval(trx, { workspaceId, name });
    if (serverId === null) {
      return { result: 'not_found' };
    }
    const agents = await listAllAttachingAgents(trx, serverId);
    if (agents.length > 0) {
      return { result: 'in_use', uses: agents.map((agent) => ({ type: 'agent', ...agent })) };
    }
    const registration = await lockRegistrationOf(trx, serverId);
    await deleteMcpServer(trx, serverId);
    await appendAuditEvent(trx, {
      workspaceId,
      event: 'workspace.mcp.removed',
      actor: { type: 'user', id: userId },
      resource: { type: 'mcp_server', id: serverId, name },
    });
    return { result: 'removed', registrationId: registration?.id ?? null };
  });
}
