import { type Db, inTransaction } from '../../store/database.ts';
import { lockVectors } from '../../store/vectors/collections.ts';
import {
  fillIndexed,
  type IndexableCollection,
  listIndexableCollections,
  markIndexed,
} from '../../store/vectors/indexing.ts';
import {
  buildVectorIndex,
  dropOtherVectorIndexes,
  hasVectorExtension,
  hasVectorIndex,
} from '../../store/vectors/pgvector.ts';
import { withAdvisoryLock } from '../../store/with-advisory-lock.ts';

/** Short, since writers of the workspace wait meanwhile. */
const itemsPerFill = 200;
const droppedAtOnce = 20;

export interface IndexingOptions {
  /** Smaller collections get no index. */
  minItems: number;
  /**
   * The largest collections of all workspaces have one: each write to any collection looks at the
   * condition of every index.
   */
  maxIndexes: number;
}

/**
 * Builds the indexes that large collections lack, one after the other, and removes all others. Does nothing
 * without the extension, or while another process does it. Idempotent; what was interrupted, as by
 * `signal`, is begun again. An index that cannot be built keeps none of the others from being built; what
 * failed first is thrown at the end.
 */
export async function keepVectorIndexes(
  db: Db,
  { minItems, maxIndexes }: IndexingOptions,
  signal: AbortSignal,
): Promise<void> {
  if (!(await hasVectorExtension(db))) {
    return;
  }
  await withAdvisoryLock(db, 'vector indexes', async () => {
    const collections = await listIndexableCollections(db, { minItems, limit: maxIndexes });
    const kept = collections.map(({ id }) => id);
    await dropOtherVectorIndexes(db, kept, { limit: droppedAtOnce });
    const failures: unknown[] = [];
    for (const collection of collections) {
      if (!signal.aborted && !(await hasVectorIndex(db, collection.id))) {
        await build(db, collection, signal).catch((error: unknown) => failures.push(error));
      }
    }
    if (failures.length > 0) {
      throw failures[0];
    }
  });
}

async function build(db: Db, collection: IndexableCollection, signal: AbortSignal): Promise<void> {
  await fill(db, collection, signal);
  await buildVectorIndex(db, collection, signal);
}

async function fill(db: Db, collection: IndexableCollection, signal: AbortSignal): Promise<void> {
  const locked = <Result>(work: Parameters<typeof inTransaction<Result>>[1]) =>
    inTransaction(db, async (trx) => {
      await lockVectors(trx, collection.workspace_id);
      return work(trx);
    });
  await locked((trx) => markIndexed(trx, collection));
  while ((await locked((trx) => fillIndexed(trx, collection, { limit: itemsPerFill }))) === itemsPerFill) {
    // Writers have their turn in between.
    signal.throwIfAborted();
  }
}
