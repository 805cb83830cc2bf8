/**
 * How rows become values, everywhere in the store. A query of one table by the names of its columns is typed
 * by `tables.ts` and needs nothing more; JSON in it is parsed by the contract's schema. All other rows (of
 * joins, raw or prepared SQL, computed columns and pages) are unknown to the compiler, and are read here,
 * each by a schema that throws for a row that does not fit. No type argument, annotation or cast says what a
 * query returns; `test/architecture/row-types` enforces it.
 */

/** A zod schema, or a `parse` of its own that throws for what it cannot read. */
export interface RowSchema<Row> {
  parse(row: unknown): Row;
}

/**
 * Runs a query, raw or prepared SQL, and returns its rows as `schema` reads them. Throws a ZodError for
 * a row that does not fit.
 */
export async function readRows<Row>(query: PromiseLike<unknown>, schema: RowSchema<Row>): Promise<Row[]> {
  return rowsOf(await query).map((row) => schema.parse(row));
}

/**
 * Runs a query that ends in `first`; null when it finds nothing. Throws a ZodError for
 * a row that does not fit.
 */
export async function readRow<Row>(query: PromiseLike<unknown>, schema: RowSchema<Row>): Promise<Row | null> {
  const row = await query;
  return row === undefined ? null : schema.parse(row);
}

/** The row of a statement that finds or writes exactly one. Throws when it did not. */
export function onlyRow<Row>(rows: readonly Row[]): Row {
  const [row] = rows;
  if (row === undefined || rows.length > 1) {
    throw new Error(`the statement returned ${rows.length} rows instead of one`);
  }
  return row;
}

/** A query gives an array, raw SQL the driver's result. */
function rowsOf(result: unknown): readonly unknown[] {
  const rows = typeof result === 'object' && result !== null && 'rows' in result ? result.rows : result;
  if (!Array.isArray(rows)) {
    throw new TypeError('the query returned no rows');
  }
  return rows;
}
