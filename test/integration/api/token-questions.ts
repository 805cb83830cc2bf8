/** A session that asks for access tokens of a remote server, as its sidecar does. */
import { afterEach, beforeEach, expect } from '@jest/globals';
import type { McpServer } from '../../../contract/catalog.ts';
import { readRegistrationOf } from '../../../store/mcp-registrations/registrations.ts';
import { readCurrentClient } from '../../../store/oauth-clients/clients.ts';
import { insertConnection } from '../../../store/oauth-connections/change.ts';
import type { Person } from '../../support/api.ts';
import { untilFound } from '../../support/eventually.ts';
import { serverNamed } from '../../support/frozen-configuration.ts';
import { paths, type Reply } from '../../support/remote-server.ts';
import { admin, api, base, member, server, useTwoRemoteServers, workspaceId } from './two-remote-servers.ts';

export let sessionId: string;
export let entryId: string;
let given: number;

/** Registers the hooks of a test file, those of `useTwoRemoteServers` among them. */
export function useTokenQuestions(): void {
  useTwoRemoteServers({ sweepEveryMs: 300 });
  beforeEach(async () => {
    given = 0;
    server.change({ [paths.token]: tokens() });
    const entry = { name: 'notes', shape: { type: 'remote', url: server.url } };
    entryId = (await admin.ok<{ mcp_server: McpServer }>('POST', `${base}/mcp-servers`, entry)).mcp_server.id;
    await registered();
    sessionId = (await api.runningSession(member, base)).session.id;
    await freeze();
  });
  // Whatever happens, no token is in a log.
  afterEach(() => expect(api.logged()).not.toMatch(/(access|refresh)-token-\d/));
}

/** Gives access-token-2 for refresh-token-1, and so on. */
export const tokens =
  (more: object = {}): Reply =>
  (_request, response) => {
    given += 1;
    const answer = {
      access_token: `access-token-${given + 1}`,
      refresh_token: `refresh-token-${given + 1}`,
      token_type: 'Bearer',
      expires_in: 3600,
      ...more,
    };
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answer));
  };
export const refusal = (error: string, status = 400): Reply => ({ status, json: { error } });
export const registered = () =>
  untilFound('the registration', async () => {
    const row = await readRegistrationOf(api.db, entryId);
    return row?.status === 'ready' ? row : null;
  });
/** The session runs with this server, as one that was launched with it. */
export async function freeze(changes: object = {}): Promise<void> {
  const shape = { type: 'remote' as const, url: server.url };
  const frozen = serverNamed('notes', {
    entry_id: entryId,
    shape,
    sign_in: 'oauth',
    network: 'internet',
    ...changes,
  });
  await api
    .db('session_configurations')
    .where({ session_id: sessionId })
    .update({
      configuration: api.db.raw("jsonb_set(configuration, '{servers}', ?::jsonb)", [
        JSON.stringify([frozen]),
      ]),
    });
}
/** As after a sign-in an hour ago, with tokens that end so soon. */
export async function connect(person: Person, expiresInMs: number | null = 3_600_000): Promise<string> {
  const registration = await registered();
  const client = await readCurrentClient(api.db, registration.id);
  const accepted = registration.sign_in_server;
  if (client === null || accepted === null) {
    throw new Error('nobody can sign in');
  }
  const connection = {
    workspace_id: workspaceId,
    user_id: person.user.id,
    registration_id: registration.id,
    url: server.url,
    resource: accepted.resource,
    issuer: accepted.authorizationServer.issuer,
    oauth_client_id: client.id,
    requested_scopes: ['notes.write'],
  };
  const expiresAt = expiresInMs === null ? null : new Date(Date.now() + expiresInMs);
  return api.db.transaction(async (trx) => {
    const id = await insertConnection(trx, api.config.MASTER_KEYS, connection, {
      accessToken: 'access-token-1',
      refreshToken: 'refresh-token-1',
      expiresAt,
      scopes: null,
    });
    await trx('oauth_connections')
      .where({ id })
      .update({ refreshed_at: trx.raw("now() - interval '1 hour'") });
    return id;
  });
}
export const ask = (body: object = {}, session = sessionId) =>
  api.asSidecar(session, 'POST', 'access-tokens', { server: 'notes', ...body });
export const tokenOf = async (body: object = {}) => {
  const { status, body: answer } = await ask(body);
  expect({ status, answer }).toMatchObject({ status: 200, answer: { result: 'token' } });
  return answer as { access_token: string; token_id: string; expires_at: string | null };
};
export const asked = (line: string) => server.requests.filter((request) => request.line === line);
export const refreshed = () =>
  asked(paths.token).map(({ body }) => new URLSearchParams(body).get('refresh_token'));
export const signInNeeded = { status: 200, body: { result: 'authorization_required' } };
export const html = { 'content-type': 'text/html' };
export const json = { 'content-type': 'application/json' };
export const pendingSignIns = () =>
  api.db('oauth_authorizations').where({ session_id: sessionId, status: 'pending' });
export const ended = () =>
  api
    .db('oauth_connections')
    .where({ workspace_id: workspaceId })
    .first('ended_at', 'end_reason', 'revoked_at');
export const events = async () =>
  (
    await api
      .db('audit_events')
      .where({ workspace_id: workspaceId })
      .andWhere('event', 'like', 'connection.%')
      .orderBy('position')
      .select('event', 'data')
  ).map(({ event, data }) => [event, data]);
