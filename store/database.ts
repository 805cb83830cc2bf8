/** The connection pool, and the way to run the hot statements as plain prepared SQL (design 3, 7). */
import knex, { type Knex } from 'knex';
import pg from 'pg';
import { migrationSource } from '../migrations/index.ts';

/** A pool or a transaction: every store function takes one as its first argument. */
export type Db = Knex | Knex.Transaction;
export type Transaction = Knex.Transaction;

// Timestamps leave the store as ISO 8601 text in UTC; bigint positions as numbers.
pg.types.setTypeParser(pg.types.builtins.TIMESTAMPTZ, (text) => new Date(text).toISOString());
pg.types.setTypeParser(pg.types.builtins.INT8, Number);

/** Opens a pool. The caller ends it with `destroy()`. */
export function openDatabase(url: string, options: { poolSize: number }): Knex {
  return knex({
    client: 'pg',
    connection: { connectionString: url, application_name: 'agent-platform' },
    pool: { min: 0, max: options.poolSize },
    acquireConnectionTimeout: 10_000,
    migrations: { migrationSource, tableName: 'migrations' },
    // Every error reaches the caller, who knows what to say about it.
    log: { debug() {}, warn() {}, error() {}, deprecate() {} },
  });
}

/** Throws when the schema is not the one that this code was written for. */
export async function requireCurrentSchema(db: Knex): Promise<void> {
  const [, pending] = (await db.migrate.list()) as [unknown[], unknown[]];
  if (pending.length > 0) {
    throw new Error(
      `the database lacks ${pending.length} migrations; bring it up to date first (dist/migrate.js)`,
    );
  }
}

/** Runs `work` in a transaction, or inside the one that is already open. */
export function inTransaction<Result>(
  db: Db,
  work: (trx: Knex.Transaction) => Promise<Result>,
): Promise<Result> {
  return db.isTransaction ? work(db as Knex.Transaction) : db.transaction(work);
}

/** Runs reads that all see the database as it was at one moment. */
export function inSnapshot<Result>(
  db: Db,
  work: (trx: Knex.Transaction) => Promise<Result>,
): Promise<Result> {
  return db.transaction(work, { isolationLevel: 'repeatable read', readOnly: true });
}

/**
 * Runs one named prepared statement with `$1` parameters on a connection of the pool, or on the transaction's.
 * For the hot statements only; everything else reads better with the query builder.
 */
export async function prepared<Row>(
  db: Db,
  name: string,
  text: string,
  values: readonly unknown[],
): Promise<Row[]> {
  const connection: pg.Client = await db.client.acquireConnection();
  try {
    const result = await connection.query({ name, text, values: [...values] });
    return result.rows as Row[];
  } finally {
    await db.client.releaseConnection(connection);
  }
}

/** Postgres error codes that the code reacts to. */
export const sqlState = {
  uniqueViolation: '23505',
  foreignKeyViolation: '23503',
  checkViolation: '23514',
} as const;

export function hasSqlState(error: unknown, code: string): boolean {
  return typeof error === 'object' && error !== null && 'code' in error && error.code === code;
}
