import type { Transaction } from '../database.ts';

/** What quotas count of a workspace's collections. */
export interface VectorTotals {
  collections: number;
  items: number;
}

/**
 * Locks the collections of a workspace until the transaction ends: those who write to them take turns, so that quotas and counts hold and none
 * waits for two others.
 */
export async function lockVectors(trx: Transaction, workspaceId: string): Promise<VectorTotals> {
  await trx('vector_totals').insert({ workspace_id: workspaceId }).onConflict('workspace_id').ignore();
  const row = await trx('vector_totals')
    .where({ workspace_id: workspaceId })
    .forUpdate()
    .first('collections', 'items');
  return row ?? { collections: 0, items: 0 };
}

/** Takes a transaction that locked the collections. */
export async function setVectorTotals(
  trx: Transaction,
  workspaceId: string,
  totals: Readonly<VectorTotals>,
): Promise<void> {
  await trx('vector_totals')
    .where({ workspace_id: workspaceId })
    .update({ ...totals });
}
