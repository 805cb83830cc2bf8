import { terminalStatus } from '../../contract/session.ts';
import type { Actor } from '../../contract/session-event.ts';
import { appendAuditEvent } from '../audit-events/append.ts';
import { type Db, inTransaction } from '../database.ts';
import { listActiveGrantsOfAgent } from '../grants/read.ts';
import { revokeGrant } from '../grants/revoke.ts';
import { lockAgent } from './read.ts';

export type AgentRemoval =
  | { result: 'removed' | 'not_found' }
  | { result: 'in_use'; uses: { type: string; id: string; name: string }[] };

/**
 * Removes an agent with its attachments, grants and ended sessions. Refused while a session of it runs, whose row
 * would be deleted. The lock makes a concurrent creation of a session wait, and then fail.
 */
export async function removeAgent(db: Db, agentId: string, userId: string): Promise<AgentRemoval> {
  return inTransaction(db, async (trx) => {
    // All that its sessions left is deleted with it, which may take longer than other requests may.
    await trx.raw(`set local statement_timeout = '10min'`);
    const agent = await lockAgent(trx, agentId);
    if (agent === null) {
      return { result: 'not_found' };
    }
    const running: { id: string }[] = await trx('sessions')
      .where({ agent_id: agentId })
      .whereNotIn('status', terminalStatus.options)
      .limit(20)
      .select('id');
    if (running.length > 0) {
      return { result: 'in_use', uses: running.map(({ id }) => ({ type: 'session', id, name: agent.name })) };
    }
    const by: Actor = { type: 'user', id: userId };
    // The rows are deleted with the agent; their revocation stays in the audit trail.
    for (const grant of await listActiveGrantsOfAgent(trx, agentId)) {
      await revokeGrant(trx, grant.id, by);
    }
    await trx('agents').where({ id: agentId }).delete();
    await appendAuditEvent(trx, {
      workspaceId: agent.workspace_id,
      event: 'agent.removed',
      actor: by,
      resource: { type: 'agent', id: agent.id, name: agent.name },
    });
    return { result: 'removed' };
  });
}
