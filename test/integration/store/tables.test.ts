import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';
import { databaseColumns, describedColumns } from '../../support/described-tables.ts';

describe('store/tables.ts', () => {
  const text = [
    'store/tables.ts',
    'store/channel-tables.ts',
    'store/grant-tables.ts',
    'store/oauth-tables.ts',
    'store/graph-tables.ts',
    'store/passkey-tables.ts',
    'store/model-tables.ts',
    'store/preview-tables.ts',
    'store/schedule-tables.ts',
    'store/vector-tables.ts',
    'store/repository-tables.ts',
    'store/sign-in-tables.ts',
  ]
    .map((path) => readFileSync(path, 'utf8'))
    .join('\n');
  let database: TestDatabase;
  let inDatabase: string[];

  beforeAll(async () => {
    database = await createTestDatabase();
    inDatabase = await databaseColumns(database.db);
  });

  afterAll(() => database.drop());

  it('describes every column of the migrated database', () => {
    expect(inDatabase.length).toBeGreaterThan(200);
    expect(describedColumns(text)).toEqual(inDatabase);
  });

  it.each([
    ['lacks a column', 'slug: string;', ''],
    ['has one more', 'slug: string;', 'slug: string;\nsubtitle: string;'],
    ['calls one nullable', 'slug: string;', 'slug: string | null;'],
    ['calls one not nullable', 'ended_at: string | null;', 'ended_at: string;'],
    ['gives one another type', 'last_event_seq: number;', 'last_event_seq: string;'],
    ['gives one another value', "'approve' | 'deny'", "'approve' | 'deny' | 'defer'"],
    ['lacks a table', /removed_call_ids: \{[^}]*\};/, ''],
    ['lacks a view', "active_grants: Tables['grants'];", ''],
  ])('differs when it %s', (_what, from, to) => {
    const changed = text.replace(from, to);
    expect(changed).not.toBe(text);
    expect(describedColumns(changed)).not.toEqual(inDatabase);
  });

  it('differs when the database gains a column', async () => {
    await database.db.raw('alter table sessions add column weather text');
    expect(await databaseColumns(database.db)).toEqual(
      [...inDatabase, 'sessions.weather: string | null'].sort(),
    );
  });
});
