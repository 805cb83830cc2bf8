/** The connection pool, and the way to run the hot statements as plain prepared SQL. */
import knex, { type Knex } from 'knex';
import pg from 'pg';
import { productSlug } from '../contract/product-name.ts';
import { migrationSource } from '../migrations/index.ts';
import { createConnectionShares } from './connection-shares.ts';

/** A pool or a transaction: every store function takes one as its first argument. */
export type Db = Knex | Knex.Transaction;
export type Pool = Knex;
export type Transaction = Knex.Transaction;

// Timestamps leave the store as ISO 8601 text in UTC; bigint positions as numbers.
pg.types.setTypeParser(pg.types.builtins.TIMESTAMPTZ, (text) => new Date(text).toISOString());
pg.types.setTypeParser(pg.types.builtins.INT8, Number);

/**
 * No connection was to be had: all were in use for the whole wait, or the server
 * takes none. Nothing was sent.
 */
export class NoConnectionError extends Error {
  override name = 'NoConnectionError';
  /** Of the failed attempt to connect, such as ECONNREFUSED; undefined when all connections were in use. */
  readonly code: string | undefined;

  constructor(cause: unknown) {
    super(cause instanceof Error ? cause.message : 'no connection to the database', { cause });
    this.code = hasCode(cause) ? cause.code : undefined;
  }
}

export interface PoolOptions {
  poolSize: number;
  statementTimeoutMs?: number;
  /** How long a statement waits for a connection. */
  acquireTimeoutMs?: number;
}

/**
 * Opens a pool, whose errors hold no values of statements or rows. A statement that takes longer than
 * `statementTimeoutMs` fails with `sqlState.queryCanceled`; without it the server's own limit applies. One
 * that gets no connection, also of its owner's share, fails with NoConnectionError. A commit is on disk when
 * it is answered. The caller ends the pool with `destroy()`.
 */
export function openDatabase(
  url: string,
  { poolSize, statementTimeoutMs, acquireTimeoutMs = 10_000 }: PoolOptions,
): Knex {
  const db = knex({
    client: 'pg',
    connection: { connectionString: url, application_name: productSlug },
    pool: { min: 0, max: poolSize, ...connectionSettings(statementTimeoutMs) },
    acquireConnectionTimeout: acquireTimeoutMs,
    compileSqlOnError: false,
    migrations: { migrationSource, tableName: 'migrations' },
    // Every error is thrown to the caller, so knex logs nothing.
    log: { debug() {}, warn() {}, error() {}, deprecate() {} },
  });
  db.on('query-error', dropValues);
  shareConnections(db, acquireTimeoutMs);
  return db;
}

/**
 * Statements, transactions and `onConnection` all get their connection here: within the share of their
 * owner, and with one error.
 */
function shareConnections({ client }: Knex, acquireTimeoutMs: number): void {
  const acquire: () => Promise<pg.Client> = client.acquireConnection.bind(client);
  const release: (connection: pg.Client) => Promise<void> = client.releaseConnection.bind(client);
  const enter = createConnectionShares(acquireTimeoutMs);
  const destroy: (callback?: () => void) => Promise<void> = client.destroy.bind(client);
  const leaves = new WeakMap<pg.Client, () => void>();
  let isEnded = false;
  const acquireShared = async () => {
    const leave = await enter();
    try {
      if (isEnded) {
        throw new Error('the pool is ended');
      }
      const connection = await acquire();
      leaves.set(connection, leave);
      return connection;
    } catch (error) {
      leave();
      throw error;
    }
  };
  client.acquireConnection = () =>
    acquireShared().catch((error: unknown) => {
      throw new NoConnectionError(error);
    });
  client.releaseConnection = async (connection: pg.Client) => {
    const leave = leaves.get(connection);
    leaves.delete(connection);
    await release(connection).finally(leave);
  };
  // What comes while its connections are being closed would wait for one that nobody gives it.
  client.destroy = (callback?: () => void) => {
    isEnded = true;
    return destroy(callback);
  };
}

/** What was answered is on disk, also where the database's default is less; a stronger default stays. */
const commitToDisk = `
  select set_config('synchronous_commit', 'on', false)
  where current_setting('synchronous_commit') in ('off', 'local', 'remote_write')`;

/**
 * What statements and the readers of their results assume, whatever the default of
 * server, database or role is.
 */
export const assumedSettings = {
  client_encoding: 'UTF8',
  DateStyle: 'ISO, YMD',
  IntervalStyle: 'postgres',
  TimeZone: 'UTC',
  bytea_output: 'hex',
  extra_float_digits: '1',
  standard_conforming_strings: 'on',
  array_nulls: 'on',
  transform_null_equals: 'off',
  gin_fuzzy_search_limit: '0',
  default_transaction_isolation: 'read committed',
  default_transaction_read_only: 'off',
  default_transaction_deferrable: 'off',
};
const setAssumed = `select ${Object.entries(assumedSettings)
  .map(([name, value]) => `set_config('${name}', '${value}', false)`)
  .join(', ')}`;

/** Set once per connection, not as startup parameters, which a pooler in between may refuse. */
function connectionSettings(timeoutMs: number | undefined): Knex.PoolConfig {
  const limit = timeoutMs === undefined ? '' : `; set statement_timeout = ${timeoutMs}`;
  return {
    afterCreate(connection: pg.Client, done: (error: unknown, connection: pg.Client) => void) {
      connection.query(`${setAssumed}; ${commitToDisk}${limit}`).then(
        () => done(null, connection),
        (error: unknown) => done(error, connection),
      );
    },
  };
}

/** Postgres quotes rows and input there; the message, the code and the constraint name tell what is wrong. */
function dropValues(error: unknown): void {
  if (error instanceof pg.DatabaseError) {
    error.detail = undefined;
    error.where = undefined;
  }
}

/** Runs `work` in a transaction, or inside the one that is already open. */
export function inTransaction<Result>(
  db: Db,
  work: (trx: Knex.Transaction) => Promise<Result>,
): Promise<Result> {
  return db.isTransaction ? work(db as Knex.Transaction) : db.transaction(work);
}

/** Runs a transaction of which nothing stays, to find out what it answers or throws. */
export async function inRolledBackTransaction<Result>(
  db: Db,
  work: (trx: Knex.Transaction) => Promise<Result>,
): Promise<Result> {
  const trx = await db.transaction();
  try {
    return await work(trx);
  } finally {
    await trx.rollback();
  }
}

/** Runs reads on one snapshot of the database. */
export function inSnapshot<Result>(
  db: Db,
  work: (trx: Knex.Transaction) => Promise<Result>,
): Promise<Result> {
  return db.transaction(work, { isolationLevel: 'repeatable read', readOnly: true });
}

/**
 * Runs one named prepared statement with `$1` parameters on a connection of the pool, or on the
 * transaction's. Returns its rows for `readRows`. For the hot statements only; everything else reads
 * better with the query builder.
 */
export async function prepared(
  db: Db,
  name: string,
  text: string,
  values: readonly unknown[],
): Promise<readonly unknown[]> {
  return onConnection(db, async (connection) => {
    const { rows } = await connection.query({ name, text, values: [...values] });
    return rows;
  });
}

/**
 * Runs work on one connection of the pool, such as for what a session of the server holds. Errors of
 * its queries hold no values.
 */
export async function onConnection<Result>(
  db: Db,
  work: (connection: pg.Client) => Promise<Result>,
): Promise<Result> {
  const connection: pg.Client = await db.client.acquireConnection();
  try {
    return await work(connection);
  } catch (error) {
    dropValues(error);
    throw error;
  } finally {
    await db.client.releaseConnection(connection);
  }
}

/**
 * Runs one statement that takes long, outside of a transaction. When `signal` is aborted it is cancelled at
 * the server, and fails with `sqlState.queryCanceled`. Needs a second connection of the pool for that.
 */
export async function runUntilAborted(db: Db, text: string, signal: AbortSignal): Promise<void> {
  await onConnection(db, async (connection) => {
    const { rows } = await connection.query('select pg_backend_pid() as pid');
    const cancel = () => void db.raw('select pg_cancel_backend(?)', [rows[0]?.pid]).catch(() => undefined);
    signal.addEventListener('abort', cancel);
    try {
      signal.throwIfAborted();
      await connection.query(text);
    } finally {
      signal.removeEventListener('abort', cancel);
    }
  });
}

/** Postgres error codes that the code reacts to. */
export const sqlState = {
  uniqueViolation: '23505',
  foreignKeyViolation: '23503',
  checkViolation: '23514',
  queryCanceled: '57014',
  /** Of triggers: nothing begins in a closed workspace. */
  workspaceClosed: 'WSC01',
} as const;

export const hasSqlState = (error: unknown, code: string): boolean => hasCode(error) && error.code === code;

const hasCode = (error: unknown): error is { code: string } =>
  typeof error === 'object' && error !== null && 'code' in error && typeof error.code === 'string';
