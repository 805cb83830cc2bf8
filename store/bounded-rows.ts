/**
 * Reads as many first rows of a query as fit into an answer; the rest stays in the database
 * and takes no memory here.
 */
import type { Knex } from 'knex';
import * as z from 'zod';
import type { Db } from './database.ts';
import { type RowSchema, readRows } from './read-rows.ts';

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

/** Reads the first rows of `query`, which must be ordered and have no limit of its own. */
export function readBoundedRows<Row>(
  db: Db,
  query: Knex.QueryBuilder,
  schema: RowSchema<Row>,
  { limit, maxBytes }: RowBounds,
): Promise<BoundedRows<Row>> {
  const sql = boundedSql({ query: '?', limit: '?', maxBytes: '?' });
  return fewRowsFirst(limit, (most) => {
    // The extra row only shows that there are more.
    const bindings = [query.clone().limit(most + 1), most, maxBytes];
    return readMeasured(db.raw(sql, bindings), schema);
  });
}

/**
 * Measuring is most of the work: a few rows are tried first, so that a page that ends early does not measure
 * all of its possible rows.
 */
export const fewRows = 16;

async function fewRowsFirst<Row>(
  limit: number,
  read: (limit: number) => Promise<BoundedRows<Row>>,
): Promise<BoundedRows<Row>> {
  const few = await read(Math.min(limit, fewRows));
  return few.more && few.rows.length === fewRows && limit > fewRows ? read(limit) : few;
}

const measured = z
  .looseObject({ page_row: z.int(), page_bytes: z.int(), page_found: z.int() })
  .transform(({ page_row: _row, page_bytes: _bytes, page_found: found, ...columns }) => ({ columns, found }));

/** Reads the rows of `boundedSql` for a query with one row more than its limit. */
async function readMeasured<Row>(
  query: PromiseLike<unknown>,
  schema: RowSchema<Row>,
): Promise<BoundedRows<Row>> {
  const rows = await readRows(query, measured);
  return {
    rows: rows.map(({ columns }) => schema.parse(columns)),
    more: (rows[0]?.found ?? 0) > rows.length,
  };
}

/**
 * Returns the same query as SQL text, for a query in parentheses and placeholders; its
 * rows include the measures.
 */
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
