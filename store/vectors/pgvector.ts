/**
 * Everything that needs the extension `vector` (pgvector) of the database: each large collection has an
 * HNSW index of its own. An index of all collections would mostly find items of others, and has to be of
 * one number of dimensions.
 */
import * as z from 'zod';
import { type Db, runUntilAborted, type Transaction } from '../database.ts';
import { onlyRow, readRows } from '../read-rows.ts';
import type { VectorQuery } from './exact-search.ts';

/** Earlier versions stop an indexed search before its filter has left enough. */
const oldestVersion = [0, 8];
/** HNSW takes more dimensions in half precision; what it finds is compared in full precision afterwards. */
export const maxIndexedDimensions = 4000;

/** Whether the database has the extension, in a version that is used and where statements find it. */
export async function hasVectorExtension(db: Db): Promise<boolean> {
  const statement = db.raw(
    "select extversion from pg_extension where extname = 'vector' and to_regtype('halfvec') is not null",
  );
  const [found] = await readRows(statement, z.object({ extversion: z.string() }));
  const [major = 0, minor = 0] = found?.extversion.split('.').map(Number) ?? [];
  const [oldestMajor = 0, oldestMinor = 0] = oldestVersion;
  return major > oldestMajor || (major === oldestMajor && minor >= oldestMinor);
}

const indexPrefix = 'vector_items_hnsw_';
const hexOf = (collectionId: string) => z.uuid().parse(collectionId).replaceAll('-', '');
const indexName = (collectionId: string) => `${indexPrefix}${hexOf(collectionId)}`;

/** Whether the collection has an index that is complete. */
export async function hasVectorIndex(db: Db, collectionId: string): Promise<boolean> {
  const statement = db.raw(
    'select exists (select from pg_index where indexrelid = to_regclass(:name) and indisvalid) as "exists"',
    { name: indexName(collectionId) },
  );
  return onlyRow(await readRows(statement, z.object({ exists: z.boolean() }))).exists;
}

/** More is slower and finds more; at least 0.95 of what an exact search finds is the aim (bench/vectors). */
const candidatesLooked = 400;
/** As long as a filter leaves too little, the search goes on, up to these. */
const maxLooked = 1_000_000;

/**
 * The ids of items that are probably the most similar ones, by the collection's index. Takes a transaction
 * with a limit of time. The index is chosen by a condition that has the collection's id as text, which is why
 * that is checked to be a UUID.
 */
export async function findCandidates(
  trx: Transaction,
  { workspaceId, collectionId, vector, filter }: VectorQuery,
  limit: number,
): Promise<string[]> {
  await trx.raw(
    `select set_config('hnsw.ef_search', ?, true), set_config('hnsw.iterative_scan', 'relaxed_order', true),
      set_config('hnsw.max_scan_tuples', ?, true), set_config('enable_seqscan', 'off', true), set_config('enable_sort', 'off', true)`,
    [String(candidatesLooked), String(maxLooked)],
  );
  const dimensions = z.int().parse(vector.length);
  const statement = trx.raw(
    `select id from vector_items
     where workspace_id = :workspaceId and ${isOf(collectionId)}
       ${filter === undefined ? '' : 'and metadata @> cast(:filter as jsonb)'}
     order by ${indexed(dimensions)} <#> cast(cast(:vector as text) as halfvec(${dimensions})) limit cast(:limit as integer)`,
    {
      ...{ workspaceId, vector: `[${vector.join(',')}]`, limit },
      ...(filter === undefined ? {} : { filter: JSON.stringify(filter) }),
    },
  );
  const rows = await readRows(statement, z.object({ id: z.string() }));
  return rows.map(({ id }) => id);
}

const indexed = (dimensions: number) => `cast(indexed_embedding as halfvec(${dimensions}))`;
const isOf = (collectionId: string) =>
  `collection_id = '${z.uuid().parse(collectionId)}' and indexed_embedding is not null`;

/**
 * Builds the index of a collection while others write to it; takes minutes for a large one, and no
 * transaction. What an interrupted build left is removed first. Fails when `signal` is aborted.
 */
export async function buildVectorIndex(
  db: Db,
  { id: collectionId, dimensions }: { id: string; dimensions: number },
  signal: AbortSignal,
): Promise<void> {
  const name = indexName(collectionId);
  await db.raw(`drop index concurrently if exists ${name}`);
  await runUntilAborted(
    db,
    `create index concurrently ${name} on vector_items
     using hnsw ((${indexed(z.int().parse(dimensions))}) halfvec_ip_ops) with (m = 16, ef_construction = 128)
     where ${isOf(collectionId)}`,
    signal,
  );
}

/**
 * Removes the indexes of all but these collections, up to `limit`: of those that are gone, or have
 * become smaller than others.
 */
export async function dropOtherVectorIndexes(
  db: Db,
  keptIds: readonly string[],
  { limit }: { limit: number },
): Promise<void> {
  const statement = db.raw(
    `select class.relname as name from pg_index join pg_class class on class.oid = pg_index.indexrelid
     where pg_index.indrelid = 'vector_items'::regclass and class.relname like :prefix
       and not class.relname = any (cast(:kept as text[]))
     limit :limit`,
    { prefix: `${indexPrefix.replaceAll('_', '\\_')}%`, kept: keptIds.map(indexName), limit },
  );
  const others = await readRows(
    statement,
    z.object({ name: z.string().regex(/^vector_items_hnsw_[0-9a-f]{32}$/) }),
  );
  for (const { name } of others) {
    await db.raw(`drop index concurrently if exists ${name}`);
  }
}
