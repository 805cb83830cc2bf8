/**
 * What others must not do to a registration: members, other tenants, and a server that changes its mind
 * about who signs people in.
 */
import { beforeEach, describe, expect, it } from '@jest/globals';
import type { McpServer } from '../../../contract/catalog.ts';
import type { McpRegistration } from '../../../contract/mcp-registration.ts';
import { readCurrentClient } from '../../../store/oauth-clients/clients.ts';
import { insertConnection } from '../../../store/oauth-connections/change.ts';
import { eventually, untilFound } from '../../support/eventually.ts';
import { honestResource, openReplies, paths, type RemoteServer } from '../../support/remote-server.ts';
import {
  admin,
  api,
  base,
  member,
  other,
  server,
  useTwoRemoteServers,
  workspaceId,
} from './two-remote-servers.ts';

useTwoRemoteServers();
beforeEach(async () => {
  await admin.ok('POST', `${base}/mcp-servers`, entryAt(server));
  await settled();
});

const entryAt = ({ url }: RemoteServer, shape: object = {}, fields: object = {}) => ({
  name: 'notes',
  shape: { type: 'remote', url, ...shape },
  ...fields,
});
const replace = (body: object) => admin.ok('PUT', `${base}/mcp-servers/notes`, body);
const retry = () => admin.ok('POST', `${base}/mcp-servers/notes/registration/retry`);
const settled = () =>
  untilFound('the outcome of the registration', async () => {
    const { mcp_server } = await admin.ok<{ mcp_server: McpServer & { registration: McpRegistration } }>(
      'GET',
      `${base}/mcp-servers/notes`,
    );
    return mcp_server.registration.status === 'pending' ? null : mcp_server.registration;
  });
const changes = () =>
  [
    ['PUT', '', entryAt(other)],
    ['DELETE', '', undefined],
    ['POST', '/registration/retry', undefined],
    ['POST', '/registration/accept', { issuer: server.origin, resource: server.url }],
  ] as const;

describe('the registration of an entry', () => {
  it('is changed by admins alone', async () => {
    for (const [method, path, body] of changes()) {
      const { status } = await member.send(method, `${base}/mcp-servers/notes${path}`, body);
      expect({ method, path, status }).toEqual({ method, path, status: 403 });
    }
    expect(await settled()).toMatchObject({ status: 'ready', parties: { issuer: server.origin } });
    expect(other.requests).toEqual([]);
  });

  it('is neither read nor changed from another workspace', async () => {
    const stranger = await api.workspace();
    for (const workspace of [base, stranger.base]) {
      for (const [method, path, body] of [['GET', '', undefined] as const, ...changes()]) {
        const { status } = await stranger.admin.send(method, `${workspace}/mcp-servers/notes${path}`, body);
        expect({ workspace, method, path, status }).toEqual({ workspace, method, path, status: 404 });
      }
    }
    expect(await settled()).toMatchObject({ status: 'ready', parties: { issuer: server.origin } });
    expect(other.requests).toEqual([]);
  });
});

it('another issuer is not accepted because the server, or its entry, needed no sign-in for a while', async () => {
  server.change(openReplies);
  await retry();
  expect(await settled()).toMatchObject({ status: 'ready', sign_in: 'none', parties: null, scopes: [] });
  const headers = [{ name: 'Authorization', prefix: 'Bearer ', variable: 'KEY' }];
  const manifest = { env: { KEY: { kind: 'secret', label: 'Key', required: true } } };
  await replace(entryAt(server, { headers }, { manifest }));
  expect(await settled()).toMatchObject({ status: 'ready', sign_in: 'headers', parties: null });
  server.reset();
  server.change({
    [paths.resource]: { json: { ...honestResource(server.origin), authorization_servers: [other.origin] } },
  });
  await replace(entryAt(server));
  expect(await settled()).toMatchObject({
    status: 'failed',
    parties: { issuer: server.origin },
    found: { issuer: other.origin },
  });
  expect(other.requests.filter(({ line }) => line.startsWith('POST'))).toEqual([]);
  // The control: the one that was accepted is taken as before.
  server.reset();
  await retry();
  expect(await settled()).toMatchObject({ status: 'ready', parties: { issuer: server.origin } });
});

describe('the secret of a client that was registered by hand', () => {
  const byHand = (name: string) => ({
    client: { client_id: name, client_secret: `\${${name.toUpperCase()}}` },
  });
  const isRevoked = () =>
    eventually(async () => {
      const row = await api.db('oauth_connections').where({ workspace_id: workspaceId }).first('revoked_at');
      expect(row?.revoked_at).not.toBeNull();
    });
  const revocations = () =>
    server.requests
      .filter(({ line }) => line === paths.revoke)
      .map(({ headers }) => Buffer.from(headers.authorization?.split(' ')[1] ?? '', 'base64').toString());

  /** As after a sign-in of the member's with the client that was registered by hand. */
  async function signIn(): Promise<void> {
    await admin.ok('PUT', `${base}/secrets/FIRST`, { value: 'first-secret' });
    await admin.ok('PUT', `${base}/secrets/SECOND`, { value: 'second-secret' });
    await replace(entryAt(server, byHand('first')));
    await settled();
    const registration = await api.db('mcp_registrations').where({ workspace_id: workspaceId }).first('id');
    const client = await readCurrentClient(api.db, registration?.id ?? '');
    const connection = {
      ...{ workspace_id: workspaceId, user_id: member.user.id, registration_id: registration?.id ?? '' },
      ...{ url: server.url, resource: server.url, issuer: server.origin, requested_scopes: [] },
      oauth_client_id: client?.id ?? '',
    };
    const tokens = { accessToken: 'access-1', refreshToken: 'refresh-1', expiresAt: null, scopes: null };
    await api.db.transaction((trx) => insertConnection(trx, api.config.MASTER_KEYS, connection, tokens));
  }

  it('is sent to the server that it was entered for', async () => {
    await signIn();
    await admin.ok('DELETE', `${base}/mcp-servers/notes`);
    await eventually(() => expect(revocations()).toContain('first:first-secret'));
  });

  it.each([
    ['of another URL', () => entryAt(other, byHand('second'))],
    [
      'of another URL with the same id',
      () => entryAt(other, { client: { client_id: 'first', client_secret: '${SECOND}' } }),
    ],
    ['of another client', () => entryAt(server, byHand('second'))],
  ])('is not sent to a server for the client %s', async (_what, entry) => {
    await signIn();
    await replace(entry());
    await isRevoked();
    expect(revocations().filter((credential) => credential.includes('second-secret'))).toEqual([]);
  });
});
