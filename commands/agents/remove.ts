import type { Actor } from '../../contract/session-event.ts';
import { allowLongDeletion, deleteAgent } from '../../store/agents/change.ts';
import { lockAgent } from '../../store/agents/read.ts';
import { appendAuditEvent } from '../../store/audit-events/append.ts';
import { type Db, inTransaction } from '../../store/database.ts';
import { listActiveGrantsOfAgent } from '../../store/grants/read.ts';
import { countWhatGoes, listUnfinishedSessionsOfAgent } from '../../store/sessions/of-agent.ts';
import { listUnsettledSessionsOfAgent, settleCalls } from '../../store/tool-calls/settle.ts';
import { revokeGrant } from '../grants/revoke.ts';
import { pauseSchedulesOf } from '../schedules/pause.ts';

export type AgentRemoval =
  /** `pausedScheduleIds`: Temporal still has to be told. */
  | { result: 'removed'; pausedScheduleIds: string[] }
  | { result: 'not_found' }
  | { result: 'in_use'; uses: { type: string; id: string; name: string }[] };

/** Enough to say what keeps the agent. */
const maxListedUses = 20;

/**
 * Removes an agent with its attachments, grants and ended sessions, and all sessions below those, and pauses its schedules. Refused while one of them runs, whose row
 * would be deleted. The lock makes a concurrent creation of a session wait, and then fail.
 */
export async function removeAgent(db: Db, agentId: string, userId: string): Promise<AgentRemoval> {
  return inTransaction(db, async (trx) => {
    await allowLongDeletion(trx);
    const agent = await lockAgent(trx, agentId);
    if (agent === null) {
      return { result: 'not_found' };
    }
    const running = await listUnfinishedSessionsOfAgent(trx, agentId, maxListedUses);
    if (running.length > 0) {
      return {
        result: 'in_use',
        uses: running.map(({ id, agentName: name }) => ({ type: 'session', id, name })),
      };
    }
    const by: Actor = { type: 'user', id: userId };
    // The rows are deleted with the agent; their revocation stays in the audit trail.
    for (const grant of await listActiveGrantsOfAgent(trx, agentId)) {
      await revokeGrant(trx, grant.id, by);
    }
    // Nobody can report a call of a session whose row is gone.
    for (const sessionId of await listUnsettledSessionsOfAgent(trx, agentId)) {
      await settleCalls(trx, sessionId);
    }
    const pausedScheduleIds = await pauseSchedulesOf(trx, { agentId }, { reason: 'agent_removed', by });
    const removed = await countWhatGoes(trx, agentId);
    await deleteAgent(trx, agentId);
    await appendAuditEvent(trx, {
      workspaceId: agent.workspace_id,
      event: 'agent.removed',
      actor: by,
      resource: { type: 'agent', id: agent.id, name: agent.name },
      data: { removed },
    });
    return { result: 'removed', pausedScheduleIds };
  });
}
