/** Pages of rows ordered by a time column and id, newest first (design 5). */
import type { Knex } from 'knex';
import { z } from 'zod';
import type { Page, PageQuery } from '../contract/page.ts';
import type { Db } from './database.ts';
import { decodeCursor, pageOf } from './page-cursor.ts';

const timeAndId = z.tuple([z.string().regex(/^[0-9TZ.: +-]{10,40}$/), z.uuid()]);

/**
 * Runs `query` as one page. The cursor keeps the time as Postgres writes it, with microseconds: a cursor cut to
 * milliseconds would skip rows. Throws InvalidCursorError.
 */
export async function pageByTime<Item extends { id: string }>(
  db: Db,
  query: Knex.QueryBuilder,
  columns: readonly (keyof Item & string)[],
  timeColumn: string,
  page: PageQuery,
): Promise<Page<Item>> {
  const before = decodeCursor(page.cursor, timeAndId);
  if (before !== null) {
    query.whereRaw('(??, id) < (?::timestamptz, ?::uuid)', [timeColumn, ...before]);
  }
  const found: (Item & { cursor_time?: string })[] = await query
    .select([...columns, db.raw('??::text as cursor_time', [timeColumn])])
    .orderBy([
      { column: timeColumn, order: 'desc' },
      { column: 'id', order: 'desc' },
    ])
    .limit(page.limit + 1);
  const { rows, nextCursor } = pageOf(found, page.limit, (row) => [row.cursor_time, row.id]);
  for (const row of rows) {
    delete row.cursor_time;
  }
  return { items: rows, nextCursor };
}
