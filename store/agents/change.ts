import type { Agent, AgentInput, AgentPatch } from '../../contract/agent.ts';
import type { Transaction } from '../database.ts';
import { withSessionsOfAgent } from '../sessions/of-agent.ts';
import { agentColumns, agentRow, presentAgent } from './row.ts';

/** Null when the workspace has an agent of that name. */
export async function insertAgent(
  trx: Transaction,
  { workspaceId, ownerId, input }: { workspaceId: string; ownerId: string; input: AgentInput },
): Promise<Agent | null> {
  const [row] = await trx('agents')
    .insert({ ...agentRow(input), workspace_id: workspaceId, owner_id: ownerId })
    .onConflict(['workspace_id', 'name'])
    .ignore()
    .returning(agentColumns);
  return row === undefined ? null : presentAgent(row);
}

/** Returns the agent as it is then. Fails with `sqlState.uniqueViolation` when the workspace has an agent of that name. */
export async function updateAgentRow(trx: Transaction, id: string, fields: AgentPatch): Promise<Agent> {
  const [row] = await trx('agents')
    .where({ id })
    .update({ ...agentRow(fields), updated_at: trx.fn.now() })
    .returning(agentColumns);
  return presentAgent(row);
}

/** Deletes the agent with all that refers to it. */
export async function deleteAgent(trx: Transaction, id: string): Promise<void> {
  await trx.raw(
    `${withSessionsOfAgent} delete from grant_uses where session_id in (select id from affected)`,
    [id],
  );
  await trx('agents').where({ id }).delete();
}

/** Lets the statements of this transaction take longer than others may: all that an agent's sessions left is deleted with it. */
export async function allowLongDeletion(trx: Transaction): Promise<void> {
  await trx.raw(`set local statement_timeout = '10min'`);
}
