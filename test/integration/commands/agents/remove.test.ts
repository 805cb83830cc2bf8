import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { removeAgent } from '../../../../commands/agents/archive.ts';
import { openDatabase } from '../../../../store/database.ts';
import { createTestDatabase, type TestDatabase } from '../../../support/database.ts';
import { createTenant, testMasterKeys } from '../../../support/tenant.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

it('an agent with a long history is removed, regardless of the statement timeout', async () => {
  const { db, url } = database;
  const tenant = await createTenant(db, testMasterKeys());
  const agent = await tenant.agent();
  // In place of gigabytes of events.
  await db.raw(`
    create function delete_slowly() returns trigger language plpgsql as $$
    begin
      perform pg_sleep(3);
      return old;
    end $$;
    create trigger delete_slowly before delete on agents for each row execute function delete_slowly();
  `);
  const impatient = openDatabase(url, { poolSize: 1, statementTimeoutMs: 1500 });
  try {
    expect(await removeAgent(impatient, agent.id, tenant.ada.id)).toEqual({
      result: 'removed',
      pausedScheduleIds: [],
    });
    // Of this transaction only.
    await expect(impatient.raw('select pg_sleep(5)')).rejects.toThrow('statement timeout');
  } finally {
    await impatient.destroy();
  }
});
