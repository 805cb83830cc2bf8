import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { Connection } from '@temporalio/client';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';
import { temporalAddress } from '../../support/temporal.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

it('gives each test file a migrated database of its own', async () => {
  await database.db('workspaces').insert({ slug: 'own', name: 'Own' });
  const other = await createTestDatabase();
  expect(await other.db('workspaces').select()).toEqual([]);
  await other.drop();
});

it('has a Temporal server with the search attributes', async () => {
  const connection = await Connection.connect({ address: temporalAddress() });
  const { customAttributes } = await connection.operatorService.listSearchAttributes({
    namespace: 'default',
  });
  expect(Object.keys(customAttributes ?? {})).toEqual(
    expect.arrayContaining(['PlatformWorkspace', 'PlatformSession', 'PlatformStatus', 'PlatformSubject']),
  );
  await connection.close();
});
