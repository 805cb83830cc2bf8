import type { Agent, AgentInput, AgentPatch } from '../../contract/agent.ts';
import type { Transaction } from '../database.ts';
import { withSessionsOfAgent } from '../sessions/of-agent.ts';
import { foldNames, nameForms } from '../shown-names.ts';
import { agentColumns, agentRow, presentAgent } from './row.ts';

/** Null when the workspace has an agent of that name, or of one that looks like it. */
export async function insertAgent(
  trx: Transaction,
  { workspaceId, ownerId, input }: { workspaceId: string; ownerId: string; input: AgentInput },
): Promise<Agent | null> {
  await foldNames(trx, 'agents', workspaceId);
  const [row] = await trx('agents')
    .insert({
      ...agentRow(input),
      ...nameForms(input.name),
      workspace_id: workspaceId,
      owner_id: ownerId,
    })
    .onConflict()
    .ignore()
    .returning(agentColumns);
  return row === undefined ? null : presentAgent(row);
}

/** Returns the agent as it is then. Fails with `sqlState.uniqueViolation` when the workspace has an agent of that name, or of one that looks like it. */
export async function updateAgentRow(
  trx: Transaction,
  { id, workspace_id: workspaceId }: Pick<Agent, 'id' | 'workspace_id'>,
  fields: AgentPatch,
): Promise<Agent> {
  if (fields.name !== undefined) {
    await foldNames(trx, 'agents', workspaceId);
  }
  const forms = fields.name === undefined ? {} : nameForms(fields.name);
  const [row] = await trx('agents')
    .where({ id })
    .update({ ...agentRow(fields), ...forms, updated_at: trx.fn.now() })
    .returning(agentColumns);
  return presentAgent(row);
}

/** Archives the agent, or takes that back. Takes a transaction that locked it. */
export async function setArchived(trx: Transaction, id: string, isArchived: boolean): Promise<Agent> {
  const [row] = await trx('agents')
    .where({ id })
    .update({ archived_at: isArchived ? trx.fn.now() : null })
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
