/** Reads as many first rows of a query as fit into an answer; the rest stays in the database and takes no memory here. */
import type { Knex } from 'knex';
import type { Db } from './database.ts';

export interface RowBounds {
  /** Max number of rows. */
  limit: number;
  /** Max bytes of JSON, all columns together; one row is always returned. */
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

/** Reads the first rows of `query`, which must be ordered and have no limit of its own. */
export function readBoundedRows<Row extends object>(
  db: Db,
  query: Knex.QueryBuilder,
  { limit, maxBytes }: RowBounds,
): Promise<BoundedRows<Row>> {
  const sql = boundedSql({ query: '?', limit: '?', maxBytes: '?' });
  return fewRowsFirst(limit, async (most) => {
    // The extra row only shows that there are more.
    const bindings = [query.clone().limit(most + 1), most, maxBytes];
    const result: { rows: Row[] } = await db.raw(sql, bindings);
    return withoutMeasures(result.rows);
  });
}

const fewRows = 16;

/** Measuring is most of the work: tries a few rows first, so that a page that ends early does not measure all of its possible rows. */
export async function fewRowsFirst<Row>(
  limit: number,
  read: (limit: number) => Promise<BoundedRows<Row>>,
): Promise<BoundedRows<Row>> {
  const few = await read(Math.min(limit, fewRows));
  return few.more && few.rows.length === fewRows && limit > fewRows ? read(limit) : few;
}

/** Converts the rows of `boundedSql` for a query with one row more than its limit. */
export function withoutMeasures<Row extends object>(rows: (Row & Partial<Measures>)[]): BoundedRows<Row> {
  const more = (rows[0]?.page_found ?? 0) > rows.length;
  for (const row of rows) {
    delete row.page_row;
    delete row.page_bytes;
    delete row.page_found;
  }
  return { rows, more };
}

/** Returns the same query as SQL text, for a query in parentheses and placeholders; its rows include the measures. */
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
