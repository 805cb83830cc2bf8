import type { Actor } from '../../contract/session-event.ts';
import { lockAgent } from '../../store/agents/read.ts';
import { deleteAttachment } from '../../store/attachments/change.ts';
import { appendAuditEvent } from '../../store/audit-events/append.ts';
import { type Db, inTransaction } from '../../store/database.ts';
import { type EditorRights, withdrawAfterChange } from '../agents/withdraw-after-change.ts';

/**
 * Removes an attachment, and revokes grants like saving one; false when the agent has none of that name.
 * The event carries field names, not values.
 */
export async function detach(
  db: Db,
  input: {
    workspaceId: string;
    agent: { id: string; name: string };
    name: string;
    userId: string;
    rights: EditorRights;
  },
): Promise<boolean> {
  const { workspaceId, agent, name, userId, rights } = input;
  const by: Actor = { type: 'user', id: userId };
  return inTransaction(db, async (trx) => {
    await lockAgent(trx, agent.id);
    const env = await deleteAttachment(trx, { workspaceId, agentId: agent.id, name });
    if (env === null) {
      return false;
    }
    await appendAuditEvent(trx, {
      workspaceId,
      event: 'agent.mcp.detached',
      actor: by,
      resource: { type: 'agent', id: agent.id, name: agent.name },
      data: { name, fields: Object.keys(env).sort() },
    });
    await withdrawAfterChange(trx, { id: agent.id, workspaceId }, { userId, rights });
    return true;
  });
}
