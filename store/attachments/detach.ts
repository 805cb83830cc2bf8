import { appendAuditEvent } from '../audit-events/append.ts';
import { type Db, inTransaction } from '../database.ts';

/** Removes an attachment; false when the agent has none of that name. */
export async function detach(
  db: Db,
  input: { workspaceId: string; agent: { id: string; name: string }; name: string; userId: string },
): Promise<boolean> {
  const { workspaceId, agent, name, userId } = input;
  return inTransaction(db, async (trx) => {
    const removed = await trx('agent_mcp_attachments')
      .where('agent_id', agent.id)
      .whereIn('mcp_server_id', trx('mcp_servers').where({ workspace_id: workspaceId, name }).select('id'))
      .delete();
    if (removed === 0) {
      return false;
    }
    await appendAuditEvent(trx, {
      workspaceId,
      event: 'agent.mcp.detached',
      actor: { type: 'user', id: userId },
      resource: { type: 'agent', id: agent.id, name: agent.name },
      data: { name },
    });
    return true;
  });
}
