/** Collections of vectors, and what a workspace has of them. */
import { type Collection, collection, type Embedder } from '../../contract/vectors.ts';
import type { Db, Transaction } from '../database.ts';
import { onlyRow } from '../read-rows.ts';

export interface StoredCollection {
  id: string;
  name: string;
  dimensions: number;
  embedder: Embedder;
  items: number;
  /** Whether its items have their vector in the form that an index is built of, too. */
  isIndexed: boolean;
}

interface CollectionKey {
  workspaceId: string;
  name: string;
}

const columns = ['id', 'name', 'dimensions', 'embedder', 'model', 'items', 'is_indexed'] as const;

/** Null when the workspace has no collection of that name. */
export async function findCollection(
  db: Db,
  { workspaceId, name }: CollectionKey,
): Promise<StoredCollection | null> {
  const row = await db('vector_collections')
    .where({ workspace_id: workspaceId, name })
    .first(...columns);
  if (row === undefined) {
    return null;
  }
  const { embedder, model, is_indexed: isIndexed, ...stored } = row;
  return { ...stored, embedder: { name: embedder, model }, isIndexed };
}

interface NewCollection extends CollectionKey {
  sessionId: string;
  dimensions: number;
  embedder: Embedder;
}

/** Takes a transaction that locked the workspace's collections, among which is none of that name. */
export async function insertCollection(
  trx: Transaction,
  { workspaceId, sessionId, name, dimensions, embedder }: NewCollection,
): Promise<StoredCollection> {
  const row = {
    ...{ workspace_id: workspaceId, name, dimensions },
    ...{ embedder: embedder.name, model: embedder.model, created_by_session: sessionId },
  };
  const { id } = onlyRow(await trx('vector_collections').insert(row).returning('id'));
  return { id, name, dimensions, embedder, items: 0, isIndexed: false };
}

/** Takes a transaction that locked the workspace's collections. */
export async function setItemCount(
  trx: Transaction,
  workspaceId: string,
  { id, items }: Pick<StoredCollection, 'id' | 'items'>,
): Promise<void> {
  await trx('vector_collections').where({ workspace_id: workspaceId, id }).update({ items });
}

/** Takes a transaction that locked the workspace's collections. */
export async function deleteCollection(trx: Transaction, workspaceId: string, id: string): Promise<void> {
  await trx('vector_collections').where({ workspace_id: workspaceId, id }).delete();
}

/** The first `limit` collections by name. */
export async function listCollections(
  db: Db,
  workspaceId: string,
  { limit }: { limit: number },
): Promise<{ collections: Collection[]; truncated: boolean }> {
  const rows = await db('vector_collections')
    .where({ workspace_id: workspaceId })
    .orderBy('name')
    .limit(limit + 1)
    .select('name', 'dimensions', 'embedder', 'model', 'items', 'created_at', 'created_by_session');
  const collections = rows
    .slice(0, limit)
    .map(({ embedder, model, ...row }) => collection.parse({ ...row, embedder: { name: embedder, model } }));
  return { collections, truncated: rows.length > limit };
}

/** What quotas count of a workspace's collections. */
interface VectorTotals {
  collections: number;
  items: number;
}

/**
 * Locks the collections of a workspace until the transaction ends: those who write to them take turns, so
 * that quotas and counts hold and none waits for two others.
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
