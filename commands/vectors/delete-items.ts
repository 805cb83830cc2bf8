import { type Db, inTransaction } from '../../store/database.ts';
import { deleteCollection, findCollection, setItemCount } from '../../store/vectors/collections.ts';
import { deleteItems, type ItemSelection } from '../../store/vectors/items.ts';
import { lockVectors, setVectorTotals } from '../../store/vectors/totals.ts';

/**
 * Deletes items of a collection, and with the last one the collection, whose name is then free for vectors of another kind. Idempotent. Returns
 * how many items there were; null for an unknown collection.
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
