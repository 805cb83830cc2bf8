/** What has to be done before an index of a collection can be built. */

import * as z from 'zod';
import { uuid } from '../../contract/names.ts';
import { bytesToVector } from '../../contract/vectors.ts';
import type { Db, Transaction } from '../database.ts';
import { readRows } from '../read-rows.ts';
import { maxIndexedDimensions } from './pgvector.ts';

const indexable = z.object({ id: uuid, workspace_id: uuid, dimensions: z.int() });
export type IndexableCollection = z.infer<typeof indexable>;

/** The largest collections of at least `minItems` that an index can be built of, up to `limit`. */
export async function listIndexableCollections(
  db: Db,
  { minItems, limit }: { minItems: number; limit: number },
): Promise<IndexableCollection[]> {
  const query = db('vector_collections')
    .where('items', '>=', minItems)
    .where('dimensions', '<=', maxIndexedDimensions)
    .orderBy([{ column: 'items', order: 'desc' }, { column: 'id' }])
    .limit(limit)
    .select('id', 'workspace_id', 'dimensions');
  return readRows(query, indexable);
}

/**
 * From now on, who writes an item stores its vector in both forms. Takes a transaction that locked the
 * workspace's collections.
 */
export async function markIndexed(
  trx: Transaction,
  { workspace_id, id }: IndexableCollection,
): Promise<void> {
  await trx('vector_collections').where({ workspace_id, id }).update({ is_indexed: true });
}

/**
 * Stores the other form of up to `limit` vectors that lack it. Returns how many. Takes a transaction that
 * locked the workspace's collections, so that nobody replaces what it read.
 */
export async function fillIndexed(
  trx: Transaction,
  { workspace_id, id: collection_id }: IndexableCollection,
  { limit }: { limit: number },
): Promise<number> {
  const rows = await trx('vector_items')
    .where({ workspace_id, collection_id })
    .whereNull('indexed_embedding')
    .limit(limit)
    .select('id', 'embedding');
  const filled = rows.map(({ id, embedding }) => ({ id, numbers: [...bytesToVector(embedding)] }));
  await trx.raw(
    `update vector_items item set indexed_embedding = given.numbers
     from jsonb_to_recordset(cast(:filled as jsonb)) as given(id text, numbers real[])
     where item.workspace_id = :workspaceId and item.collection_id = :collectionId and item.id = given.id`,
    { filled: JSON.stringify(filled), workspaceId: workspace_id, collectionId: collection_id },
  );
  return rows.length;
}
