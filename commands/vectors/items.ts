/** An agent stores and deletes items of a collection, within the workspace's quotas. */
import type { Embedder } from '../../contract/vectors.ts';
import { type Db, inTransaction, type Transaction } from '../../store/database.ts';
import { QuotaExceededError } from '../../store/quotas/quotas.ts';
import {
  deleteCollection,
  findCollection,
  insertCollection,
  lockVectors,
  type StoredCollection,
  setItemCount,
  setVectorTotals,
} from '../../store/vectors/collections.ts';
import {
  deleteItems,
  type ItemSelection,
  type NewItem,
  upsertItems,
  type VectorWriter,
} from '../../store/vectors/items.ts';
import { hasVectorExtension, maxIndexedDimensions } from '../../store/vectors/pgvector.ts';

interface Upserting {
  collection: string;
  embedder: Embedder;
  /** Each id is given once, and all vectors have the same dimensions. */
  items: readonly NewItem[];
}

interface VectorQuotas {
  collections: number;
  items: number;
  /** Of one collection that no index can be built of. */
  exactItems: number;
}

type Upserted =
  | { result: 'upserted'; created: number; items: number; dimensions: number }
  /** The collection is made of other vectors. */
  | { result: 'differs'; collection: Pick<StoredCollection, 'dimensions' | 'embedder'> };

/**
 * Writes all of the items, or none. The first ones fix the collection's dimensions and embedder. Idempotent:
 * the same items again are the same rows. Throws QuotaExceededError when there would be more than the quotas
 * allow; items that are there can still be written then.
 */
export async function upsertVectors(
  db: Db,
  writer: VectorWriter,
  { collection: name, embedder, items }: Upserting,
  quotas: VectorQuotas,
): Promise<Upserted> {
  const { workspaceId, sessionId } = writer;
  const dimensions = items[0]?.vector.length ?? 0;
  return inTransaction(db, async (trx) => {
    const totals = await lockVectors(trx, workspaceId);
    const found = await findCollection(trx, { workspaceId, name });
    if (found !== null && !isOf(found, { dimensions, embedder })) {
      return { result: 'differs', collection: found };
    }
    const collections = totals.collections + (found === null ? 1 : 0);
    if (collections > quotas.collections) {
      throw new QuotaExceededError(quotas.collections, 'collections of vectors in a workspace');
    }
    const collection =
      found ?? (await insertCollection(trx, { workspaceId, sessionId, name, dimensions, embedder }));
    const created = await upsertItems(trx, writer, collection, items);
    const inCollection = collection.items + created;
    if (created > 0) {
      if (totals.items + created > quotas.items) {
        throw new QuotaExceededError(quotas.items, 'vectors in a workspace');
      }
      if (inCollection > quotas.exactItems && !(await canBeIndexed(trx, dimensions))) {
        throw new QuotaExceededError(
          quotas.exactItems,
          `vectors of ${dimensions} dimensions in a collection, since there can be no index of them: that takes pgvector, and ${maxIndexedDimensions} dimensions at most`,
        );
      }
      await setItemCount(trx, workspaceId, { id: collection.id, items: inCollection });
      await setVectorTotals(trx, workspaceId, { collections, items: totals.items + created });
    }
    return { result: 'upserted', created, items: inCollection, dimensions };
  });
}

const canBeIndexed = async (trx: Transaction, dimensions: number) =>
  dimensions <= maxIndexedDimensions && (await hasVectorExtension(trx));

const isOf = (
  collection: Pick<StoredCollection, 'dimensions' | 'embedder'>,
  { dimensions, embedder }: { dimensions: number; embedder: Embedder },
): boolean =>
  collection.dimensions === dimensions &&
  collection.embedder.name === embedder.name &&
  collection.embedder.model === embedder.model;

/**
 * Deletes items of a collection, and with the last one the collection, whose name is then free for vectors of
 * another kind. Idempotent. Returns how many items there were; null for an unknown collection.
 */
export async function deleteVectors(
  db: Db,
  { workspaceId, name }: { workspaceId: string; name: string },
  selection: ItemSelection,
): Promise<number | null> {
  return inTransaction(db, async (trx) => {
    const totals = await lockVectors(trx, workspaceId);
    const collection = await findCollection(trx, { workspaceId, name });
    if (collection === null) {
      return null;
    }
    const deleted = await deleteItems(trx, workspaceId, collection.id, selection);
    const left = collection.items - deleted;
    if (left === 0) {
      await deleteCollection(trx, workspaceId, collection.id);
    } else {
      await setItemCount(trx, workspaceId, { id: collection.id, items: left });
    }
    await setVectorTotals(trx, workspaceId, {
      collections: totals.collections - (left === 0 ? 1 : 0),
      items: totals.items - deleted,
    });
    return deleted;
  });
}
