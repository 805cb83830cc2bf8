/**
 * Search that compares every vector: rows arrive in batches of about a megabyte, so that neither memory nor
 * the event loop is held.
 */
import * as z from 'zod';
import type { Conditions } from '../../contract/stored-data.ts';
import { bytesPerNumber } from '../../contract/vectors.ts';
import type { Transaction } from '../database.ts';
import { onlyRow, readRows } from '../read-rows.ts';

/**
 * The best matches of a search, however many vectors it looks at: memory is bounded by how many are asked
 * for. Pure.
 */

export interface ScoredId {
  id: string;
  /** Cosine similarity. */
  score: number;
}

interface TopMatches {
  add(match: ScoredId): void;
  /** The best ones first; equal ones by id. */
  list(): ScoredId[];
}

export function createTopMatches(size: number): TopMatches {
  const best: ScoredId[] = [];
  return {
    add(match) {
      const last = best.at(-1);
      if (best.length === size && last !== undefined && !isBetter(match, last)) {
        return;
      }
      const place = best.findIndex((each) => isBetter(match, each));
      best.splice(place === -1 ? best.length : place, 0, match);
      best.length = Math.min(best.length, size);
    },
    list: () => [...best],
  };
}

const isBetter = (one: ScoredId, other: ScoredId): boolean =>
  one.score > other.score || (one.score === other.score && one.id < other.id);

/** The cosine similarity of two vectors of length 1. */
export function similarity(one: Float32Array, other: Float32Array): number {
  let sum = 0;
  for (let at = 0; at < one.length; at += 1) {
    sum += (one[at] ?? 0) * (other[at] ?? 0);
  }
  return Math.max(-1, Math.min(1, sum));
}

export interface VectorQuery {
  workspaceId: string;
  collectionId: string;
  /** Of length 1, with as many numbers as the collection's. */
  vector: Float32Array;
  filter: Conditions | undefined;
  /** How many of the most similar items are wanted. */
  limit: number;
}

/** The search was stopped: it took longer than it may. */
export class SearchTimeoutError extends Error {
  override name = 'SearchTimeoutError';
}

const batchBytes = 1024 * 1024;
const batchSize = ({ vector }: VectorQuery) =>
  Math.max(1, Math.floor(batchBytes / (vector.length * bytesPerNumber)));

const row = z.object({ id: z.string(), embedding: z.instanceof(Buffer) });

/** The most similar items, the best ones first. Throws SearchTimeoutError after `limitMs`. */
export async function searchExactly(
  trx: Transaction,
  query: VectorQuery,
  { limitMs }: { limitMs: number },
): Promise<ScoredId[]> {
  const deadlineMs = performance.now() + limitMs;
  const best = createTopMatches(query.limit);
  const { sql, values } = matching(query);
  await trx.raw("select set_config('cursor_tuple_fraction', '1', true)");
  await trx.raw(
    `declare searched no scroll cursor for select id, embedding from vector_items ${sql}`,
    values,
  );
  const size = batchSize(query);
  const held = createHolder(query.vector.length);
  for (let read = size; read === size; ) {
    const rows = await readRows(trx.raw(`fetch ${size} from searched`), row);
    for (const { id, embedding } of rows) {
      best.add({ id, score: similarity(query.vector, held(embedding)) });
    }
    read = rows.length;
    if (performance.now() > deadlineMs) {
      throw new SearchTimeoutError('the search was stopped');
    }
  }
  await trx.raw('close searched');
  return best.list();
}

/** How many items the filter leaves, counted up to `limit`. */
export async function countMatching(
  trx: Transaction,
  query: Pick<VectorQuery, 'workspaceId' | 'collectionId' | 'filter'>,
  limit: number,
): Promise<number> {
  const { sql, values } = matching(query);
  const statement = trx.raw(
    `select cast(count(*) as integer) as items from (select from vector_items ${sql} limit cast(:limit as integer)) as found`,
    { ...values, limit },
  );
  return onlyRow(await readRows(statement, z.object({ items: z.int() }))).items;
}

/** The text of the conditions is ours; what an agent says is in the values. */
function matching({
  workspaceId,
  collectionId,
  filter,
}: Pick<VectorQuery, 'workspaceId' | 'collectionId' | 'filter'>) {
  return {
    sql: `where workspace_id = :workspaceId and collection_id = :collectionId ${
      filter === undefined ? '' : 'and metadata @> cast(:filter as jsonb)'
    }`,
    values: {
      ...{ workspaceId, collectionId },
      ...(filter === undefined ? {} : { filter: JSON.stringify(filter) }),
    },
  };
}

/**
 * Turns stored bytes into numbers, in one place in memory for all rows: a row's bytes need not begin where a
 * number may.
 */
export function createHolder(dimensions: number): (bytes: Buffer) => Float32Array {
  const numbers = new Float32Array(dimensions);
  const target = new Uint8Array(numbers.buffer);
  return (bytes) => {
    target.set(bytes);
    return numbers;
  };
}
