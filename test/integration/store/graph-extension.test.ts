/**
 * A database that lacks the extension of the graph's search says what to do, and is
 * migrated once it is there.
 */
import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { openDatabase } from '../../../store/database.ts';
import { migrate } from '../../../store/migrate.ts';
import { createEmptyDatabase, type TestDatabase } from '../../support/database.ts';

const role = `test_${randomBytes(6).toString('hex')}`;
let database: TestDatabase;
let url: string;

beforeAll(async () => {
  database = await createEmptyDatabase();
  // It owns its tables, and may create no extension.
  await database.db.raw(`create role ${role} login password 'test'`);
  await database.db.raw(`grant usage, create on schema public to ${role}`);
  const owner = new URL(database.url);
  owner.username = role;
  owner.password = 'test';
  url = owner.href;
});
afterAll(async () => {
  await database.drop();
  const server = openDatabase(process.env['TEST_POSTGRES_URL'] ?? '', { poolSize: 1 });
  await server.raw(`drop role ${role}`);
  await server.destroy();
});

const migrateAsOwner = async () => {
  const db = openDatabase(url, { poolSize: 2 });
  return migrate(db).finally(() => db.destroy());
};

it('is told to the operator, who has an administrator create it', async () => {
  await expect(migrateAsOwner()).rejects.toThrow(
    /pg_trgm, which could not be created \(permission denied.*\)\. Install the contrib modules/,
  );
  await database.db.raw('create extension pg_trgm');
  const { applied } = await migrateAsOwner();
  expect(applied).toContain('20261129101100_create_shared_data');
});
