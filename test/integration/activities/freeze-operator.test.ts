import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { createSession } from '../../../commands/sessions/create.ts';
import { readConfiguration } from '../../../store/session-configurations/configurations.ts';
import { createTestActivities, type TestActivities } from '../../support/activities.ts';

let activities: TestActivities;

beforeAll(async () => {
  activities = await createTestActivities();
});
afterAll(() => activities.drop());

it('freezes whether a person drives the session, which nobody does with a child', async () => {
  const tenant = await activities.tenant();
  const agent = await tenant.agent();
  const parent = await tenant.session(agent);
  const child = await createSession(activities.db, {
    ...{ id: randomUUID(), workspaceId: tenant.workspace.id, agentId: agent.id, prompt: '' },
    ...{ operatorId: null, rootOperatorId: parent.root_operator_id, parentSessionId: parent.id },
  });
  for (const [{ id: sessionId }, has_operator] of [
    [parent, true],
    [child, false],
  ] as const) {
    await activities.run('freezeConfiguration', { sessionId });
    expect((await readConfiguration(activities.db, sessionId))?.has_operator).toBe(has_operator);
  }
});
