import { appendAuditEvent } from '../audit-events/append.ts';
import { type Db, inTransaction } from '../database.ts';

/** `in_use` comes with the agents that attach the entry. */
export type Removal =
  | { result: 'removed' | 'not_found' }
  | { result: 'in_use'; uses: { type: string; id: string; name: string }[] };

/** Removes an entry that no agent attaches. The row lock prevents concurrent attachments. */
export async function removeMcpServer(
  db: Db,
  workspaceId: string,
  name: string,
  userId: string,
): Promise<Removal> {
  return inTransaction(db, async (trx) => {
    const server = await trx('mcp_servers')
      .where({ workspace_id: workspaceId, name })
      .forUpdate()
      .first('id');
    if (server === undefined) {
      return { result: 'not_found' };
    }
    const agents = await trx('agent_mcp_attachments as t')
      .join('agents as a', 'a.id', 't.agent_id')
      .where('t.mcp_server_id', server.id)
      .orderBy('a.name')
      .select('a.id', 'a.name');
    if (agents.length > 0) {
      return { result: 'in_use', uses: agents.map((agent) => ({ type: 'agent', ...agent })) };
    }
    await trx('mcp_servers').where({ id: server.id }).delete();
    await appendAuditEvent(trx, {
      workspaceId,
      event: 'workspace.mcp.removed',
      actor: { type: 'user', id: userId },
      resource: { type: 'mcp_server', id: server.id, name },
    });
    return { result: 'removed' };
  });
}
