/** Pages of rows ordered by a time column and id, newest first. */
import type { Knex } from 'knex';
import * as z from 'zod';
import type { Page, PageQuery } from '../contract/page.ts';
import type { Db } from './database.ts';
import { decodeCursor } from './page-cursor.ts';
import { readPage } from './read-page.ts';
import type { RowSchema } from './read-rows.ts';

/** What the next page comes after. */
const position = z.looseObject({ id: z.string(), cursor_time: z.string() });
const timeAndId = z.tuple([z.string().regex(/^[0-9TZ.: +-]{10,40}$/), z.uuid()]);

/**
 * Runs `query` as one page of the columns that `schema` has. The cursor keeps the time as Postgres writes it, with
 * microseconds: a cursor cut to milliseconds would skip rows. Throws InvalidCursorError.
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
