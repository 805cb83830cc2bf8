/** A fresh, migrated database on the real Postgres. Call in `beforeAll`; `drop` in `afterAll`. */
import { randomBytes } from 'node:crypto';
import type { Knex } from 'knex';
import { openDatabase } from '../../store/database.ts';

export interface TestDatabase {
  db: Knex;
  url: string;
  /** Ends the pool and removes the database, even with connections open. */
  drop(): Promise<void>;
}

export const createTestDatabase = (): Promise<TestDatabase> => createFrom(process.env['TEST_TEMPLATE']);

/** One without migrations. */
export const createEmptyDatabase = (): Promise<TestDatabase> => createFrom('template1');

async function createFrom(template: string | undefined): Promise<TestDatabase> {
  const serverUrl = process.env['TEST_POSTGRES_URL'];
  if (serverUrl === undefined || template === undefined) {
    throw new Error('jest runs without its global setup');
  }
  const name = `test_${randomBytes(8).toString('hex')}`;
  // Nothing is written to the log block by block, which costs more where the disk is memory.
  const statement = 'create database ?? template ?? strategy file_copy';
  await onServer(serverUrl, (server) => server.raw(statement, [name, template]));
  const url = serverUrl.replace(/\/postgres$/, `/${name}`);
  // A test that sends hundreds of statements at once waits for their turns, on a slow machine too.
  const db = openDatabase(url, { poolSize: 12, acquireTimeoutMs: 120_000 });
  return {
    db,
    url,
    drop: async () => {
      await db.destroy();
      await onServer(serverUrl, (server) => server.raw('drop database if exists ?? with (force)', [name]));
    },
  };
}

async function onServer(url: string, work: (server: Knex) => Promise<unknown>): Promise<void> {
  const server = openDatabase(url, { poolSize: 1 });
  try {
    await work(server);
  } finally {
    await server.destroy();
  }
}
