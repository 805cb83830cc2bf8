import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { asOrdinaryUser, runToEnd } from '../../../bin/start/postgres-binaries.ts';
import { openDatabase } from '../../../store/database.ts';
import { migrate } from '../../../store/migrate.ts';
import { oldestPostgres, requireCurrentSchema, requireUsableDatabase } from '../../../store/usable-server.ts';
import { createEmptyDatabase, createTestDatabase, type TestDatabase } from '../../support/database.ts';
import { untilFound } from '../../support/eventually.ts';
import { chooseTestPort } from '../../support/free-port.ts';
import { createTenant, testMasterKeys } from '../../support/tenant.ts';

describe('a database that this release cannot use', () => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await createTestDatabase();
  });
  afterAll(() => database.drop());

  it('is reported when it was never migrated, or not far enough', async () => {
    const empty = await createEmptyDatabase();
    await expect(requireCurrentSchema(empty.db)).rejects.toThrow(/lacks \d+ migrations/);
    await empty.drop();
    await database.db
      .transaction(async (trx) => {
        await trx.raw('delete from migrations where id = (select max(id) from migrations)');
        await expect(requireCurrentSchema(trx)).rejects.toThrow('lacks 1 migrations');
        await trx.rollback();
      })
      .catch(() => undefined);
    await requireCurrentSchema(database.db);
  });

  it('is reported when a later release migrated it', async () => {
    await database
      .db('migrations')
      .insert({ name: '29990101000000_add_future', batch: 99, migration_time: new Date() });
    await expect(requireCurrentSchema(database.db)).rejects.toThrow(
      'migrated by a later release (29990101000000_add_future)',
    );
    await database.db('migrations').where({ batch: 99 }).delete();
    await requireCurrentSchema(database.db);
  });
});

it('is not touched when it was made before the first release, and the way to start afresh is told', async () => {
  const { db, drop } = await createEmptyDatabase();
  await db.schema.createTable('migrations', (table) => {
    table.increments();
    table.string('name');
    table.integer('batch');
    table.timestamp('migration_time');
  });
  await db('migrations').insert({ name: '20261121090000_create_workspaces', batch: 1 });
  const refused =
    /before the first release \(20261121090000_create_workspaces\).*"rm -r \.data".*down --volumes/;
  for (const use of [migrate, requireCurrentSchema]) {
    await expect(use(db)).rejects.toThrow(refused);
  }
  expect(await db('pg_tables').where({ schemaname: 'public' }).pluck('tablename')).toEqual(['migrations']);
  await drop();
});

/** Debian's, where it is installed. */
const oldest = `/usr/lib/postgresql/${oldestPostgres}/bin`;
(existsSync(oldest) ? describe : describe.skip)(`Postgres ${oldestPostgres}`, () => {
  it('accepts every migration, and what the store writes', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'postgres-'));
    const data = join(directory, 'data');
    const options = ['-D', data, '-U', 'platform', '--auth=trust', '--encoding=UTF8', '--locale=C'];
    await runToEnd(`${oldest}/initdb`, options, 'Making the database');
    const port = await chooseTestPort();
    const [command, args] = asOrdinaryUser(`${oldest}/postgres`, [
      ...['-D', data, '-p', String(port)],
      ...['-c', 'listen_addresses=127.0.0.1', '-c', 'unix_socket_directories='],
    ]);
    const server = spawn(command, args, { stdio: 'ignore' });
    const db = openDatabase(`postgres://platform@127.0.0.1:${port}/postgres`, { poolSize: 4 });
    try {
      await untilFound('the server', () => db.raw('select 1').catch(() => null));
      await migrate(db);
      await requireUsableDatabase(db, 'worker');
      const tenant = await createTenant(db, testMasterKeys());
      const session = await tenant.session(await tenant.agent());
      expect(session.status).toBe('pending');
    } finally {
      await db.destroy();
      server.kill('SIGINT');
      await once(server, 'exit');
      rmSync(directory, { recursive: true, force: true });
    }
  });
});
