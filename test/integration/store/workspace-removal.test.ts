import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import * as z from 'zod';
import { readRows } from '../../../store/read-rows.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';
import { fillEveryTable } from '../../support/filled-tables.ts';

/**
 * People, their sign-ins, the installation's workers and its records of removed
 * workspaces are of no workspace.
 */
const ofNoWorkspace = [
  'passkey_challenges',
  'passkeys',
  'removed_workspaces',
  'sign_in_renewals',
  'sign_ins',
  'users',
  'workers',
];

describe('a workspace with a row in every table', () => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await createTestDatabase();
  });
  afterAll(() => database.drop());

  const tablesWithRows = async (tables: Iterable<string>) => {
    const left: string[] = [];
    for (const table of tables) {
      if ((await database.db(table).first()) !== undefined) {
        left.push(table);
      }
    }
    return left.sort();
  };

  it('is deleted with all of them, and nothing else is', async () => {
    const rows = await fillEveryTable(database.db);
    const tables = [...rows.keys()].sort();
    const ofWorkspaces = await readRows(
      database.db.raw(
        `select table_name as name from information_schema.columns
         join information_schema.tables using (table_schema, table_name)
         where table_schema = 'public' and column_name = 'workspace_id' and table_type = 'BASE TABLE'`,
      ),
      z.object({ name: z.string() }),
    );
    expect(tables).toEqual(expect.arrayContaining(ofWorkspaces.map(({ name }) => name)));
    expect(ofWorkspaces.length).toBeGreaterThan(30);
    expect(await tablesWithRows(tables)).toEqual(tables);

    await database
      .db('workspaces')
      .where({ id: String(rows.get('workspaces')?.['id']) })
      .delete();
    expect(await tablesWithRows(tables)).toEqual(ofNoWorkspace);
  });
});
