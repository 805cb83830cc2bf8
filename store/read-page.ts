/** Pages of lists: as many rows as requested, and fewer where they are large. */
import type { Knex } from 'knex';
import { readBoundedRows } from './bounded-rows.ts';
import type { Db } from './database.ts';
import { encodeCursor } from './page-cursor.ts';
import type { RowSchema } from './read-rows.ts';

/** Max bytes of JSON in a page, unless it is a single row. */
export const pageBytes = 1024 * 1024;

/** Reads one page of `query`, which must be ordered and start after the cursor; `keyOf` gives the next cursor's key. */
export async function readPage<Row>(
  db: Db,
  query: Knex.QueryBuilder,
  schema: RowSchema<Row>,
  limit: number,
  keyOf: (row: Row) => unknown,
): Promise<{ rows: Row[]; nextCursor: string | null }> {
  const { rows, more } = await readBoundedRows(db, query, schema, { limit, maxBytes: pageBytes });
  const last = rows.at(-1);
  return { rows, nextCursor: more && last !== undefined ? encodeCursor(keyOf(last)) : null };
}
