import type { Transaction } from '../database.ts';

export interface KeptAgent {
  isArchived: boolean;
}

/** Which of the agents are of the workspace. They stay, and are neither archived nor changed, until the transaction ends. */
export async function keepAgents(
  trx: Transaction,
  workspaceId: string,
  agentIds: readonly string[],
): Promise<ReadonlyMap<string, KeptAgent>> {
  const rows = await trx('agents')
    .where({ workspace_id: workspaceId })
    .whereIn('id', [...agentIds])
    .orderBy('id')
    .forKeyShare()
    .select('id', 'archived_at');
  return new Map(rows.map(({ id, archived_at: at }) => [id, { isArchived: at !== null }]));
}
