/**
 * Clients at authorization servers that answer otherwise than they were asked, or
 * have deleted what they made.
 */
import type { ServerResponse } from 'node:http';
import { afterEach, describe, expect, it } from '@jest/globals';
import { eventually } from '../../support/eventually.ts';
import { honestClient, paths } from '../../support/remote-server.ts';
import {
  answersRegistration,
  asked,
  clients,
  events,
  keycloakGrants,
  retry,
  save,
  settled,
  shown,
} from './remote-registrations.ts';
import { admin, api, base, member, server, useTwoRemoteServers, workspaceId } from './two-remote-servers.ts';

useTwoRemoteServers({ sweepEveryMs: 500 }, { RATE_CHECKS_PER_MINUTE_PER_USER: '100' });
afterEach(() => expect(api.logged()).not.toContain('the-client-secret'));

describe('the client of a remote server', () => {
  it.each([
    ['says so', { status: 401, json: {} }],
    ['has nothing there', { status: 404, json: {} }],
    ['names another client', { json: { client_id: 'another' } }],
    ['answers with a page', (_request: unknown, response: ServerResponse) => response.end('<h1>No</h1>')],
  ])('gets another client by a retry when its server has deleted it and %s', async (_what, reply) => {
    await save();
    await settled();
    answersRegistration({ client_id: 'the-second-client' });
    server.change({ [paths.client]: reply });
    await retry();
    expect(await settled()).toMatchObject({ status: 'ready', client: { client_id: 'the-second-client' } });
    const [asking] = asked(paths.client);
    expect(asking?.headers.authorization).toBe('Bearer the-registration-token');
  });

  it('gets another client by a retry where its server cannot be asked for it', async () => {
    answersRegistration({ registration_client_uri: undefined });
    await save();
    await settled();
    answersRegistration({ client_id: 'the-second-client' });
    await retry();
    expect(await settled()).toMatchObject({ status: 'ready', client: { client_id: 'the-second-client' } });
  });

  it('keeps its client while the server that is asked for it is in trouble', async () => {
    await save();
    await settled();
    server.change({ [paths.client]: { status: 503, json: {} } });
    await retry();
    expect(await settled()).toMatchObject({ status: 'ready', client: { client_id: 'the-client' } });
    expect(asked(paths.register)).toHaveLength(1);
  });

  it('keeps its client that somebody is signed in with, without asking', async () => {
    await save();
    await settled();
    const [client] = await clients();
    const { registration_id, id: oauth_client_id } = client ?? { registration_id: '', id: '' };
    await api.db('oauth_connections').insert({
      ...{ workspace_id: workspaceId, user_id: member.user.id, registration_id, oauth_client_id },
      ...{ url: server.url, resource: server.url, issuer: server.origin, requested_scopes: [] },
    });
    server.change({ [paths.client]: { status: 401, json: {} } });
    await retry();
    expect(await settled()).toMatchObject({ status: 'ready', client: { client_id: 'the-client' } });
    expect([asked(paths.client), asked(paths.register).length]).toEqual([[], 1]);
  });

  it('takes the token that its server gives in the place of the one it was asked with, as Keycloak does', async () => {
    await save();
    await settled();
    const json = {
      ...honestClient(server.origin, {}),
      registration_access_token: 'the-registration-token-2',
    };
    server.change({ [paths.client]: { json } });
    for (let time = 0; time < 2; time += 1) {
      await retry();
      await settled();
    }
    expect(asked(paths.client).map(({ headers }) => headers.authorization)).toEqual([
      'Bearer the-registration-token',
      'Bearer the-registration-token-2',
    ]);
    await admin.ok('DELETE', `${base}/mcp-servers/notes`);
    await eventually(() =>
      expect(asked(paths.deletion).at(-1)?.headers.authorization).toBe('Bearer the-registration-token-2'),
    );
  });

  it('that answers as Keycloak does is registered, and one try leaves one client', async () => {
    answersRegistration({
      response_types: ['code', 'none'],
      grant_types: keycloakGrants,
      scope: 'openid address',
    });
    await save();
    expect(await settled()).toMatchObject({ status: 'ready', client: { client_id: 'the-client' } });
    expect(asked(paths.deletion)).toEqual([]);
  });

  it('has the client deleted whose answer is refused', async () => {
    const client_id = `refused-${workspaceId}`;
    answersRegistration({ client_id, redirect_uris: ['https://evil.test/'] });
    await save();
    expect(await settled()).toMatchObject({
      status: 'failed',
      reason: expect.stringContaining('"redirect_uris" holds "https://evil.test/"'),
    });
    await eventually(() => expect(asked(paths.deletion)).toHaveLength(1));
    expect(asked(paths.deletion)[0]?.headers.authorization).toBe('Bearer the-registration-token');
    await eventually(async () => expect(await clients()).toEqual([]));
    expect(await events()).toContainEqual([
      'client_deleted',
      { issuer: server.origin, client_id, at_server: true },
    ]);
  });

  it('keeps a client that is used where a server answers a second registration with it, and is refused', async () => {
    await save();
    await settled();
    answersRegistration({ redirect_uris: ['https://evil.test/'] });
    const second = { name: 'second', shape: { type: 'remote', url: server.url } };
    await admin.ok('POST', `${base}/mcp-servers`, second);
    await eventually(async () => {
      const rows = await api.db('mcp_registrations').where({ entry_name: 'second' });
      expect(rows).toMatchObject([{ status: 'failed' }]);
    });
    await eventually(async () => expect(await clients()).toHaveLength(1));
    expect(asked(paths.deletion)).toEqual([]);
    expect(await shown()).toMatchObject({ status: 'ready', client: { client_id: 'the-client' } });
  });
});
