/**
 * Pages of lists: as many rows as requested, and fewer where they are large. A cursor is the sort key of the
 * last row, as base64url JSON.
 */
import type { Knex } from 'knex';
import * as z from 'zod';
import type { Page, PageQuery } from '../contract/page.ts';
import { readBoundedRows } from './bounded-rows.ts';
import type { Db } from './database.ts';
import type { RowSchema } from './read-rows.ts';

/** A cursor that none of our lists issued. */
export class InvalidCursorError extends Error {
  override name = 'InvalidCursorError';
}

export function encodeCursor(key: unknown): string {
  return Buffer.from(JSON.stringify(key)).toString('base64url');
}

/**
 * The key in a cursor, or null without one. Throws InvalidCursorError when it does not match the list's
 * schema.
 */
export function decodeCursor<Schema extends z.ZodType>(
  cursor: string | undefined,
  schema: Schema,
): z.infer<Schema> | null {
  if (cursor === undefined) {
    return null;
  }
  try {
    return schema.parse(JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8')));
  } catch {
    throw new InvalidCursorError('is not a cursor of this list');
  }
}

/** Max bytes of JSON in a page, unless it is a single row. */
export const pageBytes = 1024 * 1024;

/**
 * Reads one page of `query`, which must be ordered and start after the cursor; `keyOf` gives the next
 * cursor's key.
 */
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

/** What the next page comes after. */
const position = z.looseObject({ id: z.string(), cursor_time: z.string() });
const timeAndId = z.tuple([z.string().regex(/^[0-9TZ.: +-]{10,40}$/), z.uuid()]);

/**
 * Runs `query` as one page of the columns that `schema` has. The cursor keeps the time as Postgres writes it,
 * with microseconds: a cursor cut to milliseconds would skip rows. Throws InvalidCursorError.
 */
export async function pageByTime<Item>(
  db: Db,
  query: Knex.QueryBuilder,
  schema: RowSchema<Item> & { readonly shape: object },
  timeColumn: string,
  page: PageQuery,
): Promise<Page<Item>> {
  const before = decodeCursor(page.cursor, timeAndId);
  if (before !== null) {
    query.whereRaw('(??, id) < (?::timestamptz, ?::uuid)', [timeColumn, ...before]);
  }
  query.select([...Object.keys(schema.shape), db.raw('??::text as cursor_time', [timeColumn])]).orderBy([
    { column: timeColumn, order: 'desc' },
    { column: 'id', order: 'desc' },
  ]);
  const placed: RowSchema<{ item: Item; key: [string, string] }> = {
    parse(row) {
      const { cursor_time: time, ...rest } = position.parse(row);
      return { item: schema.parse(rest), key: [time, rest.id] };
    },
  };
  const { rows, nextCursor } = await readPage(db, query, placed, page.limit, ({ key }) => key);
  return { items: rows.map(({ item }) => item), nextCursor };
}
