/** Migrates the schema, one process at a time; a killed process blocks nobody. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Knex } from 'knex';
import type pg from 'pg';
import * as z from 'zod';
import { onlyRow, readRows } from './read-rows.ts';
import { hasPendingMigrations, requireMigrationRights, requireUsableServer } from './usable-server.ts';

/** A number of this program's own among Postgres's advisory locks. */
const lockKey = 7_206_154_311;
/** The number of the batch, and the names of its migrations. */
const latest = z.tuple([z.int(), z.array(z.string())]);
const lookAgainMs = 200;
const longestWaitMs = 10 * 60_000;

/**
 * Brings the schema to the newest version. Takes a pool of two connections at least. Safe to run from several
 * processes at once: one migrates, the others wait. Throws when the wait takes longer than ten minutes, and
 * UnusableDatabaseError when the database or the role does not do.
 */
export async function migrate(db: Knex): Promise<{ applied: string[] }> {
  await requireUsableServer(db);
  await requireMigrationRights(db);
  return alone(db, async () => {
    // A role that may only read and write does where nothing is to be changed.
    const applied = (await hasPendingMigrations(db)) ? await toLatest(db) : [];
    return { applied };
  });
}

async function toLatest(db: Knex): Promise<string[]> {
  // Nobody is migrating now: a lock in knex's own table is stale, left by a killed process.
  await db.migrate.forceFreeMigrationsLock();
  const [, applied] = latest.parse(await db.migrate.latest());
  return applied;
}

/**
 * Postgres frees the lock when the connection ends. Polled, because a waiting statement would block
 * a concurrent index build.
 */
async function alone<Result>(db: Knex, work: () => Promise<Result>): Promise<Result> {
  const connection: pg.Client = await db.client.acquireConnection();
  try {
    const give = performance.now() + longestWaitMs;
    while (!(await ask(connection, 'pg_try_advisory_lock'))) {
      if (performance.now() > give) {
        throw new Error('another process has been migrating the database for ten minutes');
      }
      await sleep(lookAgainMs);
    }
    try {
      return await work();
    } finally {
      await ask(connection, 'pg_advisory_unlock');
    }
  } finally {
    await db.client.releaseConnection(connection);
  }
}

async function ask(
  connection: pg.Client,
  lock: 'pg_try_advisory_lock' | 'pg_advisory_unlock',
): Promise<boolean> {
  const statement = connection.query(`select ${lock}($1) as done`, [lockKey]);
  return onlyRow(await readRows(statement, z.object({ done: z.boolean() }))).done;
}
