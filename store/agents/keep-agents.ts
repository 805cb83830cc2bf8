import type { Transaction } from '../database.ts';

/** Which of the agents are of the workspace. They stay until the transaction ends. */
export async function keepAgents(
  trx: Transaction,
  workspaceId: string,
  agentIds: readonly string[],
): Promise<ReadonlySet<string>> {
  const rows = await trx('agents')
    .where({ workspace_id: workspaceId })
    .whereIn('id', [...agentIds])
    .orderBy('id')
    .forKeyShare()
    .select('id');
  return new Set(rows.map(({ id }) => id));
}
