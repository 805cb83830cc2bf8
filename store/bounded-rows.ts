/** The first rows of a query, as many as fit into an answer: the rest neither leaves the database nor enters this process's memory. */
import type { Knex } from 'knex';
import type { Db } from './database.ts';

export interface RowBounds {
  /** At most so many rows. */
  limit: number;
  /** At most so many bytes of JSON, all columns together; one row always fits. */
  maxBytes: number;
}

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
export function readBoundedRows<Row extends object>(
  db: Db,
  query: Knex.QueryBuilder,
  { limit, maxBytes }: RowBounds,
): Promise<BoundedRows<Row>> {
  const sql = boundedSql({ query: '?', limit: '?', maxBytes: '?' });
  return fewRowsFirst(limit, async (most) => {
    // One row more only says that there are more.
    const bindings = [query.clone().limit(most + 1), most, maxBytes];
    const result: { rows: Row[] } = await db.raw(sql, bindings);
    return withoutMeasures(result.rows);
  });
}

const fewRows = 16;

/** Measuring is most of the work: a page that ends early is read without measuring all the rows that it might have had. */
export async function fewRowsFirst<Row>(
  limit: number,
  read: (limit: number) => Promise<BoundedRows<Row>>,
): Promise<BoundedRows<Row>> {
  const few = await read(Math.min(limit, fewRows));
  return few.more && few.rows.length === fewRows && limit > fewRows ? read(limit) : few;
}

/** The rows that `boundedSql` gave for a query with one row more than its limit. */
export function withoutMeasures<Row extends object>(rows: (Row & Partial<Measures>)[]): BoundedRows<Row> {
  const more = (rows[0]?.page_found ?? 0) > rows.length;
  for (const row of rows) {
    delete row.page_row;
    delete row.page_bytes;
    delete row.page_found;
  }
  return { rows, more };
}

/** The same as text, of a query in parentheses and placeholders; its rows carry the measures as well. */
export function boundedSql({
  query,
  limit,
  maxBytes,
}: {
  query: string;
  limit: string;
  maxBytes: string;
}): string {
  return `select * from (
      select found.*,
        row_number() over () as page_row,
        sum(octet_length(to_json(found)::text)) over (rows unbounded preceding) as page_bytes,
        count(*) over () as page_found
      from ${query} as found
    ) as measured
    where page_row = 1 or (page_row <= ${limit} and page_bytes <= ${maxBytes})
    order by page_row`;
}
