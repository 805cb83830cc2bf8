/**
 * The most similar items of a collection: by comparing all that the filter leaves, or by the collection's
 * index where there are many.
 */
import * as z from 'zod';
import type { Match } from '../../contract/vectors.ts';
import type { Transaction } from '../database.ts';
import { readRows } from '../read-rows.ts';
import {
  countMatching,
  createHolder,
  createTopMatches,
  type ScoredId,
  searchExactly,
  similarity,
  type VectorQuery,
} from './exact-search.ts';
import { findCandidates, hasVectorIndex } from './pgvector.ts';

/**
 * From so many items on, a collection gets an index where the database can have one; fewer are
 * compared in well under a second.
 */
export const indexedFrom = 10_000;
/** Candidates of the index for each match that is asked for: it has them in half precision. */
const candidatesPerMatch = 2;

export interface SearchBounds {
  /** How many items are compared without an index. */
  exactItems: number;
  limitMs: number;
  /** Of the metadata of an answer as JSON; one match is always in it. */
  metadataBytes: number;
}

export type Found =
  | { result: 'found'; matches: Match[] /** Matches were left out. */; truncated: boolean }
  | { result: 'too_many' };

/**
 * Searches on one snapshot. `too_many`: more items meet the filter than are compared, and the collection has
 * no index. Throws SearchTimeoutError, or fails with `sqlState.queryCanceled`, after `limitMs`.
 */
export async function searchItems(
  trx: Transaction,
  query: VectorQuery & { items: number },
  { exactItems, limitMs, metadataBytes }: SearchBounds,
): Promise<Found> {
  const most = Math.max(exactItems, indexedFrom);
  const items = query.filter === undefined ? query.items : await countMatching(trx, query, most + 1);
  const isSmall = items <= Math.min(exactItems, indexedFrom);
  const byIndex = isSmall ? null : await searchByIndex(trx, query);
  if (byIndex !== null && byIndex.length >= Math.min(query.limit, items)) {
    return present(trx, query, byIndex, metadataBytes);
  }
  return items > exactItems
    ? { result: 'too_many' }
    : present(trx, query, await searchExactly(trx, query, { limitMs }), metadataBytes);
}

/** Null where the collection has no index. */
async function searchByIndex(trx: Transaction, query: VectorQuery): Promise<ScoredId[] | null> {
  if (!(await hasVectorIndex(trx, query.collectionId))) {
    return null;
  }
  const ids = await findCandidates(trx, query, query.limit * candidatesPerMatch);
  const best = createTopMatches(query.limit);
  const rows = await trx('vector_items')
    .where({ workspace_id: query.workspaceId, collection_id: query.collectionId })
    .whereIn('id', ids)
    .select('id', 'embedding');
  const held = createHolder(query.vector.length);
  for (const { id, embedding } of rows) {
    best.add({ id, score: similarity(query.vector, held(embedding)) });
  }
  return best.list();
}

const metadataRow = z.object({ id: z.string(), metadata: z.record(z.string(), z.unknown()), bytes: z.int() });

async function present(
  trx: Transaction,
  { workspaceId, collectionId }: VectorQuery,
  best: readonly ScoredId[],
  metadataBytes: number,
): Promise<Found> {
  const query = trx('vector_items')
    .where({ workspace_id: workspaceId, collection_id: collectionId })
    .whereIn(
      'id',
      best.map(({ id }) => id),
    )
    .select('id', 'metadata', trx.raw('octet_length(cast(metadata as text)) as bytes'));
  const byId = new Map((await readRows(query, metadataRow)).map((row) => [row.id, row]));
  const matches: Match[] = [];
  let used = 0;
  for (const { id, score } of best) {
    const { metadata = {}, bytes = 0 } = byId.get(id) ?? {};
    used += bytes;
    if (matches.length > 0 && used > metadataBytes) {
      break;
    }
    matches.push({ id, score: rounded(score), metadata });
  }
  return { result: 'found', matches, truncated: matches.length < best.length };
}

/** 32-bit floats have no more digits. */
const rounded = (score: number) => Math.round(score * 1e6) / 1e6;
