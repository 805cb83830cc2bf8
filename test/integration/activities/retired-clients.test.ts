import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { revokeEndedConnections } from '../../../activities/oauth-connections/revoke-ended.ts';
import { inShare, shortActivities } from '../../../activities/workspace-share.ts';
import { mcpRegistrationWorkflowId } from '../../../contract/workflows.ts';
import { listUnsettledRegistrations } from '../../../store/mcp-registrations/registrations.ts';
import { storeCredential } from '../../../store/oauth-clients/clients.ts';
import { createTestActivities, environmentOf, type TestActivities } from '../../support/activities.ts';
import { fillEveryTable } from '../../support/filled-tables.ts';
import { listServers, unlistServers } from '../../support/loopback-servers.ts';
import { paths, type RemoteServer, startRemoteServer } from '../../support/remote-server.ts';
import { authorizationServer } from '../../unit/lib/oauth/authorization-server.ts';

let activities: TestActivities;
let server: RemoteServer;
let registrationId: string;
let workspaceId: string;
/** One ended, and one that can be used. */
let connectionIds: string[];

beforeEach(async () => {
  activities = await createTestActivities();
  server = await startRemoteServer();
  listServers([server]);
  const { db, dependencies } = activities;
  const filled = (await fillEveryTable(db)).get('oauth_connections') ?? {};
  const { id: connectionId, registration_id, workspace_id } = filled;
  [registrationId, workspaceId] = [String(registration_id), String(workspace_id)];
  const revocationEndpoint = `${server.origin}/revoke`;
  const takes = { revocationEndpoint, revocationAuthMethods: ['none' as const] };
  await db('oauth_clients').update({
    issuer: authorizationServer().issuer,
    authorization_server: authorizationServer(takes),
    token_auth_method: 'none',
    retired_at: new Date().toISOString(),
  });
  const shape = { type: 'remote', url: server.url } as const;
  await db('mcp_registrations').update({ shape, mcp_server_id: null, status: 'ready', sign_in: 'none' });
  const ended = { id: randomUUID(), ended_at: new Date().toISOString(), end_reason: 'disconnected' as const };
  await db('oauth_connections').insert({ ...filled, ...ended, revoked_at: null });
  connectionIds = [String(connectionId), ended.id];
  for (const id of connectionIds) {
    const key = { workspaceId, name: `oauth-connection/${id}/refresh-token` };
    const owner = { oauth_connection_id: id };
    await storeCredential(db, dependencies.masterKeys, key, { value: `token-of-${id}`, owner });
  }
});
afterEach(async () => {
  unlistServers([server]);
  await server.close();
  await activities.drop();
});

const run = (name: 'deleteRetiredClients' | 'removeRegistration') =>
  activities.run(name, { registrationId }, environmentOf(mcpRegistrationWorkflowId(registrationId)));
const toStart = async () => (await listUnsettledRegistrations(activities.db)).map(({ id }) => id);
const kept = async () => ({
  registrations: await activities.db('mcp_registrations').pluck('id'),
  unrevoked: (await activities.db('oauth_connections').where({ revoked_at: null }).pluck('id')).sort(),
});
const revokedThere = () =>
  server.requests
    .filter(({ line }) => line === paths.revoke)
    .map(({ body }) => new URLSearchParams(body).get('token')?.replace('token-of-', ''))
    .sort();

it('clients are retired within the share of their workspace, and a removed entry keeps its sign-ins', async () => {
  const { db, dependencies } = activities;
  // Two slots, of which a workspace has one.
  dependencies.limits = { ...dependencies.limits, WORKER_MAX_SESSIONS: 2 - shortActivities };
  let letGo = () => {};
  const held = new Promise<void>((resolve) => {
    letGo = resolve;
  });
  const other = inShare(dependencies, { workspaceId, type: 'registration_refused' }, () => held);
  await expect(run('deleteRetiredClients')).rejects.toMatchObject({
    type: 'registration_refused',
    nonRetryable: false,
  });
  await run('removeRegistration');
  expect(await kept()).toEqual({ registrations: [registrationId], unrevoked: [...connectionIds].sort() });
  expect(await db('oauth_connections').where({ ended_at: null })).toEqual([]);
  expect(revokedThere()).toEqual([]);
  letGo();
  await other;
  await run('deleteRetiredClients');
  await run('removeRegistration');
  expect(await kept()).toEqual({ registrations: [], unrevoked: [] });
  expect(revokedThere()).toEqual([...connectionIds].sort());
});

it('what a server in trouble does not revoke stays with its client, until the sweep gives it up', async () => {
  const { db, dependencies } = activities;
  server.change({ [paths.revoke]: { status: 503, json: {} } });
  await expect(run('deleteRetiredClients')).rejects.toThrow('are still to be revoked');
  await run('removeRegistration');
  expect(await kept()).toEqual({ registrations: [registrationId], unrevoked: [...connectionIds].sort() });
  // The sweep revokes them by itself, and starts no workflow until then.
  expect(await toStart()).toEqual([]);
  await db('oauth_connections').update({ ended_at: new Date(Date.now() - 25 * 3_600_000).toISOString() });
  await revokeEndedConnections(dependencies);
  expect(await toStart()).toEqual([registrationId]);
  await run('deleteRetiredClients');
  await run('removeRegistration');
  expect(await kept()).toEqual({ registrations: [], unrevoked: [] });
});
