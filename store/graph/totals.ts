import type { Transaction } from '../database.ts';

export interface GraphTotals {
  nodes: number;
  edges: number;
}

const none: GraphTotals = { nodes: 0, edges: 0 };

/** Locks the graph until the transaction ends: those who write to it take turns, so that its quota holds and none waits for two others. */
export async function lockGraph(trx: Transaction, workspaceId: string): Promise<GraphTotals> {
  await trx('graphs').insert({ workspace_id: workspaceId }).onConflict('workspace_id').ignore();
  const row = await trx('graphs').where({ workspace_id: workspaceId }).forUpdate().first('nodes', 'edges');
  return row ?? none;
}

/** Takes a transaction that locked the graph. */
export async function setTotals(
  trx: Transaction,
  workspaceId: string,
  totals: Readonly<GraphTotals>,
): Promise<void> {
  await trx('graphs')
    .where({ workspace_id: workspaceId })
    .update({ ...totals });
}

export async function readTotals(trx: Transaction, workspaceId: string): Promise<GraphTotals> {
  const row = await trx('graphs').where({ workspace_id: workspaceId }).first('nodes', 'edges');
  return row ?? none;
}
