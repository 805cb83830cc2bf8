/** The first rows of a query, as many as fit into an answer: the rest leaves neither the database nor this process's heap larger. */
import type { Knex } from 'knex';
import type { Db } from './database.ts';

export interface RowBounds {
  /** At most so many rows. */
  limit: number;
  /** At most so many bytes of JSON, all columns together; one row always fits. */
  maxBytes: number;
}

/** What a page of a list holds at most, beyond which it ends early. */
export const pageBytes = 1024 * 1024;

export interface BoundedRows<Row> {
  rows: Row[];
  /** Whether the query has rows beyond these. */
  more: boolean;
}

interface Measures {
  page_row: number;
  page_bytes: number;
  page_found: number;
}

/** Reads the first rows of `query`, which must say its order and have no limit of its own. */
export async function readBoundedRows<Row extends object>(
  db: Db,
  query: Knex.QueryBuilder,
  { limit, maxBytes }: RowBounds,
): Promise<BoundedRows<Row>> {
  const result: { rows: (Row & Partial<Measures>)[] } = await db.raw(
    `select * from (
       select found.*,
         row_number() over () as page_row,
         sum(octet_length(to_json(found)::text)) over (rows unbounded preceding) as page_bytes,
         count(*) over () as page_found
       from ? as found
     ) as measured
     where page_row = 1 or (page_row <= ? and page_bytes <= ?)
     order by page_row`,
    [query.clone().limit(limit + 1), limit, maxBytes],
  );
  const { rows } = result;
  const more = (rows[0]?.page_found ?? 0) > rows.length;
  for (const row of rows) {
    delete row.page_row;
    delete row.page_bytes;
    delete row.page_found;
  }
  return { rows, more };
}
