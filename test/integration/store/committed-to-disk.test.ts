/**
 * What a store function has answered survives the death of the database, whatever the database's default is.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type RunningPostgres, startPostgres } from '../../../bin/start/postgres.ts';
import { openDatabase } from '../../../store/database.ts';
import { migrate } from '../../../store/migrate.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';
import { eventually } from '../../support/eventually.ts';
import { callOf, freezeGates, giveGrant, passOn } from '../../support/granted.ts';
import { createTenant, testMasterKeys } from '../../support/tenant.ts';

describe('a connection', () => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await createTestDatabase();
  });
  afterAll(() => database.drop());

  it.each([
    ['off', 'on'],
    ['local', 'on'],
    ['remote_write', 'on'],
    ['on', 'on'],
    ['remote_apply', 'remote_apply'],
  ])('commits where the default is %s with %s', async (standard, used) => {
    await database.db.raw(`do $$ begin
      execute format('alter database %I set synchronous_commit = ${standard}', current_database()); end $$`);
    for (const limit of [{}, { statementTimeoutMs: 5000 }]) {
      const db = openDatabase(database.url, { poolSize: 1, ...limit });
      try {
        const { rows } = await db.raw('show synchronous_commit');
        expect(rows).toEqual([{ synchronous_commit: used }]);
      } finally {
        await db.destroy();
      }
    }
  });
});

describe('a database whose default is not to wait for its disk, and that is killed', () => {
  let directory: string;
  let postgres: RunningPostgres;
  const options = () => ({
    directory,
    password: 'test',
    // Nothing but a commit that waits writes the log to disk.
    settings: { synchronous_commit: 'off', wal_writer_delay: '10s' },
  });

  beforeAll(async () => {
    directory = mkdtempSync(join(tmpdir(), 'killed-postgres-'));
    postgres = await startPostgres(options());
  });
  afterAll(async () => {
    await postgres.stop();
    rmSync(directory, { recursive: true, force: true });
  });

  it('has every call that its check let pass', async () => {
    let db = openDatabase(postgres.url('postgres'), { poolSize: 2 });
    await migrate(db);
    const tenant = await createTenant(db, testMasterKeys());
    const agent = await tenant.agent();
    const session = await freezeGates(db, await tenant.session(agent), agent);
    await giveGrant(db, session, { scope: 'persistent' });
    const calls = Array.from({ length: 20 }, () => callOf(session));
    for (const call of calls) {
      expect(await passOn(db, call)).not.toBeNull();
    }
    process.kill(postgres.process.pid, 'SIGKILL');
    await db.destroy();
    await eventually(async () => {
      postgres = await startPostgres(options());
    });
    db = openDatabase(postgres.url('postgres'), { poolSize: 1 });
    try {
      const kept = await db('grant_uses').pluck('call_id');
      expect(new Set(kept)).toEqual(new Set(calls.map(({ callId }) => callId)));
    } finally {
      await db.destroy();
    }
  });
});
