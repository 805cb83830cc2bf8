/** Pages of rows ordered by a time column and id, newest first. */
import type { Knex } from 'knex';
import { z } from 'zod';
import type { Page, PageQuery } from '../contract/page.ts';
import type { Db } from './database.ts';
import { decodeCursor } from './page-cursor.ts';
import { readPage } from './read-page.ts';

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
  query.select([...columns, db.raw('??::text as cursor_time', [timeColumn])]).orderBy([
    { column: timeColumn, order: 'desc' },
    { column: 'id', order: 'desc' },
  ]);
  const { rows, nextCursor } = await readPage<Item & { cursor_time?: string }>(
    db,
    query,
    page.limit,
    (row) => [row.cursor_time, row.id],
  );
  for (const row of rows) {
    delete row.cursor_time;
  }
  return { items: rows, nextCursor };
}
