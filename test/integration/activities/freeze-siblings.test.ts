import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { readConfiguration } from '../../../store/session-configurations/configurations.ts';
import { createTestActivities, type TestActivities } from '../../support/activities.ts';

let activities: TestActivities;

beforeAll(async () => {
  activities = await createTestActivities();
});
afterAll(() => activities.drop());

it('gives siblings their own time to get ready, and freezes what says so', async () => {
  const tenant = await activities.tenant();
  const run = { type: 'command' as const, command: 'db', args: [] };
  const ready = { type: 'port' as const, timeout_seconds: 90 };
  const agent = await tenant.agent({
    siblings: [
      { name: 'db', run, port: 5432, ready },
      { name: 'cache', run },
    ],
  });
  const session = await tenant.session(agent);
  expect(await activities.run('freezeConfiguration', { sessionId: session.id })).toMatchObject({
    limits: { startMs: 150_000 },
  });
  const configuration = await readConfiguration(activities.db, session.id);
  expect(configuration?.siblings).toEqual([
    { name: 'db', run, image: null, env: {}, port: 5432, ready },
    { name: 'cache', run, image: null, env: {} },
  ]);
});
