import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { createActivities } from '../../../activities/index.ts';
import { inShare, shortActivities } from '../../../activities/workspace-share.ts';
import { mcpRegistrationWorkflowId } from '../../../contract/workflows.ts';
import { createTestActivities, environmentOf, type TestActivities } from '../../support/activities.ts';
import { fillEveryTable } from '../../support/filled-tables.ts';
import { authorizationServer } from '../../unit/lib/oauth/authorization-server.ts';

let activities: TestActivities;
beforeAll(async () => {
  activities = await createTestActivities();
});
afterAll(() => activities.drop());

it('clients are retired within the share of their workspace, as their servers may keep silent', async () => {
  const { db, dependencies } = activities;
  const { workspace_id: workspaceId, registration_id: registrationId } =
    (await fillEveryTable(db)).get('oauth_clients') ?? {};
  await db('oauth_clients').update({
    authorization_server: authorizationServer(),
    retired_at: new Date().toISOString(),
  });
  await db('mcp_registrations').update({ shape: { type: 'remote', url: 'https://server.test/mcp' } });
  // Two slots, of which a workspace has one.
  const limits = { ...dependencies.limits, WORKER_MAX_SESSIONS: 2 - shortActivities };
  const own = createActivities({ ...dependencies, limits });
  const input = { registrationId: String(registrationId) };
  const retire = () =>
    environmentOf(mcpRegistrationWorkflowId(input.registrationId)).run(own.deleteRetiredClients, input);
  let letGo = () => {};
  const held = new Promise<void>((resolve) => {
    letGo = resolve;
  });
  const owner = { workspaceId: String(workspaceId), type: 'registration_refused' } as const;
  const other = inShare({ limits }, owner, () => held);
  await expect(retire()).rejects.toMatchObject({ type: 'registration_refused', nonRetryable: false });
  expect(await db('oauth_clients').first('id')).toBeDefined();
  letGo();
  await other;
  await retire();
  expect(await db('oauth_clients').first('id')).toBeUndefined();
});
