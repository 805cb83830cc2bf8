import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { readRegistrationOf } from '../../../store/mcp-registrations/registrations.ts';
import { eventually, untilFound } from '../../support/eventually.ts';
import { honestResource, paths } from '../../support/remote-server.ts';
import {
  ask,
  asked,
  connect,
  ended,
  entryId,
  events,
  freeze,
  json,
  pendingSignIns,
  refreshed,
  refusal,
  registered,
  sessionId,
  signInNeeded,
  tokenOf,
  tokens,
  useTokenQuestions,
} from './token-questions.ts';
import { admin, api, base, member, other, server, workspaceId } from './two-remote-servers.ts';

useTokenQuestions();

const retry = () => admin.ok('POST', `${base}/mcp-servers/notes/registration/retry`);
const failed = () =>
  untilFound('the failure', async () => {
    const row = await readRegistrationOf(api.db, entryId);
    return row?.status === 'failed' ? row : null;
  });

describe('an access token', () => {
  it('is the operator’s own', async () => {
    await connect(admin);
    expect(await ask()).toMatchObject(signInNeeded);
    await connect(member);
    const { access_token, token_id } = await tokenOf();
    expect(access_token).toBe('access-token-1');
    expect(token_id).not.toContain('token-1');
    expect(server.requests.filter(({ line }) => line === paths.token)).toEqual([]);
    expect(JSON.stringify(await api.db('oauth_credentials'))).not.toContain('access-token-1');
  });

  it('is refreshed before it ends, and its refresh token replaced', async () => {
    await connect(member, 20_000);
    expect(await tokenOf()).toMatchObject({ access_token: 'access-token-2' });
    expect(await tokenOf()).toMatchObject({ access_token: 'access-token-2' });
    const [sent] = asked(paths.token);
    expect(Object.fromEntries(new URLSearchParams(sent?.body))).toEqual({
      grant_type: 'refresh_token',
      refresh_token: 'refresh-token-1',
      resource: server.url,
      client_id: 'the-client',
    });
    expect(sent?.headers.authorization).toMatch(/^Basic /);
    const { token_id: rejected } = await tokenOf();
    expect(await tokenOf({ rejected })).toMatchObject({ access_token: 'access-token-3' });
    expect(refreshed()).toEqual(['refresh-token-1', 'refresh-token-2']);
  });

  it('that the server refused is refreshed once, however many ask', async () => {
    await connect(member, null);
    const { token_id: rejected, expires_at } = await tokenOf();
    expect(expires_at).toBeNull();
    const answers = await Promise.all(Array.from({ length: 12 }, () => tokenOf({ rejected })));
    expect(new Set(answers.map(({ access_token }) => access_token))).toEqual(new Set(['access-token-2']));
    expect(refreshed()).toEqual(['refresh-token-1']);
  });

  it('that the server refuses after a refresh as well leads the operator to sign in, who loses nothing', async () => {
    const id = await connect(member);
    await api
      .db('oauth_connections')
      .where({ id })
      .update({ requested_scopes: ['notes.write', 'notes.delete'] });
    const { token_id: first } = await tokenOf();
    const { token_id: second } = await tokenOf({ rejected: first });
    // What was rejected is not what there is any more.
    await tokenOf({ rejected: first, renewed: true });
    expect(await ask({ rejected: second, renewed: true })).toMatchObject(signInNeeded);
    expect(refreshed()).toEqual(['refresh-token-1']);
    const [pending] = await api
      .db('oauth_authorizations')
      .where({ session_id: sessionId, status: 'pending' });
    expect(pending?.scopes).toEqual(['notes.write', 'notes.delete']);
    // Another server may refuse it for a while, and not for ever.
    expect(await ended()).toMatchObject({ ended_at: null });
  });

  it('is asked for again with the same refresh token when the answer was lost', async () => {
    await connect(member, 0);
    server.change({ [paths.token]: (request) => request.socket.destroy() });
    expect(await ask()).toMatchObject({ status: 503 });
    server.change({ [paths.token]: tokens() });
    expect(await tokenOf()).toMatchObject({ access_token: 'access-token-2' });
    expect(refreshed()).toEqual(['refresh-token-1', 'refresh-token-1']);
  });

  it('whose lease to refresh died with its process is refreshed when that is over', async () => {
    const id = await connect(member, 0);
    await api
      .db('oauth_connections')
      .where({ id })
      .update({ refreshing_until: api.db.raw("now() + interval '2 seconds'") });
    expect(await tokenOf()).toMatchObject({ access_token: 'access-token-2' });
  });

  it.each([503, 429])('waits for a server in trouble (%i), and keeps the sign-in', async (status) => {
    await connect(member, 0);
    server.change({ [paths.token]: { status, json: {} } });
    expect(await ask()).toMatchObject({ status: 503, body: { error: { code: 'unavailable' } } });
    expect(await ended()).toMatchObject({ ended_at: null });
  });

  it.each(['invalid_grant', 'invalid_client', 'invalid_target', 'invalid_scope', 'invalid_request'])(
    'is not given once the server answers %s, and the operator has to sign in',
    async (error) => {
      await connect(member, 0);
      server.change({ [paths.token]: refusal(error) });
      expect(await ask()).toMatchObject(signInNeeded);
      expect(await ended()).toMatchObject({ end_reason: 'refused' });
      const [[event, data] = []] = await events();
      expect([event, data]).toEqual([
        'connection.refused',
        expect.objectContaining({ user_id: member.user.id }),
      ]);
      expect(JSON.stringify(data)).not.toContain('token-1');
      const [pending] = await pendingSignIns();
      // Nobody signs in while the server that no longer knows the client is registered again.
      expect(pending?.problem ?? error).toContain(error);
      // The server that no longer knows the client is being registered again.
      await eventually(async () => expect(await ask()).toMatchObject(signInNeeded));
      expect(refreshed()).toEqual(['refresh-token-1']);
    },
  );

  it('is given while the server in use is discovered again, but waits for that where it has to be another', async () => {
    await connect(member);
    const { token_id: rejected } = await tokenOf();
    server.change({ [paths.mcp]: { status: 503, json: {} } });
    await retry();
    expect(await tokenOf()).toMatchObject({ access_token: 'access-token-1', token_id: rejected });
    for (const question of [
      { rejected },
      { missing_scopes: ['notes.delete'] },
      { rejected, renewed: true },
    ]) {
      expect(await ask(question)).toMatchObject({ status: 503 });
    }
    expect([refreshed(), await pendingSignIns()]).toEqual([[], []]);
    expect(await ended()).toMatchObject({ ended_at: null });
    expect(await readRegistrationOf(api.db, entryId)).toMatchObject({ status: 'pending', resumes: true });
    server.reset();
    await registered();
    expect(await tokenOf()).toMatchObject({ access_token: 'access-token-1' });
  });

  it('that is about to end is used to that while the server in use is discovered again', async () => {
    await connect(member, 50_000);
    server.change({ [paths.mcp]: { status: 503, json: {} } });
    await retry();
    expect(await tokenOf()).toMatchObject({ access_token: 'access-token-1' });
    await api
      .db('oauth_connections')
      .where({ workspace_id: workspaceId })
      .update({ expires_at: api.db.fn.now() });
    expect(await ask()).toMatchObject({ status: 503 });
    expect(refreshed()).toEqual([]);
  });

  it('is given to nobody else while the server in use is discovered again', async () => {
    await connect(admin);
    server.change({ [paths.mcp]: { status: 503, json: {} } });
    await retry();
    expect(await ask()).toMatchObject({ status: 503 });
    expect(await pendingSignIns()).toEqual([]);
    await admin.ok('DELETE', `${base}/members/${member.user.id}`);
    expect((await ask()).text).not.toContain('access-token');
  });

  it('waits while a server that had failed is being registered again, and then is given', async () => {
    await connect(member);
    server.change({ [paths.issuer]: { json: {} } });
    await retry();
    await failed();
    expect(await ask()).toMatchObject(signInNeeded);
    server.change({ [paths.mcp]: { status: 503, json: {} } });
    await retry();
    expect(await ask()).toMatchObject({ status: 503 });
    expect(await ended()).toMatchObject({ ended_at: null });
    server.reset();
    await registered();
    expect(await tokenOf()).toMatchObject({ access_token: 'access-token-1' });
  });

  it('that allows too little is not given again for what it does not allow', async () => {
    await connect(member);
    const { token_id: rejected } = await tokenOf();
    const answer = await ask({ rejected, missing_scopes: ['notes.delete'] });
    expect(answer).toMatchObject(signInNeeded);
    expect(answer.text).toContain('notes.delete');
    expect(refreshed()).toEqual([]);
  });
});

it('ends one person’s sign-in alone when the server answers unauthorized_client', async () => {
  await connect(admin);
  await connect(member, 0);
  server.change({ [paths.token]: refusal('unauthorized_client') });
  expect(await ask()).toMatchObject(signInNeeded);
  const rows = await api
    .db('oauth_connections')
    .where({ workspace_id: workspaceId })
    .select('user_id', 'end_reason');
  expect(new Map(rows.map(({ user_id, end_reason }) => [user_id, end_reason]))).toEqual(
    new Map([
      [admin.user.id, null],
      [member.user.id, 'refused'],
    ]),
  );
  expect((await registered()).revision).toBe(1);
  expect(asked(paths.register)).toHaveLength(1);
});

it.each([
  ['invalid_client'],
  // The Python SDK's name for it.
  ['unauthorized_client'],
])('has the platform registered again once its server answers 401 and %s', async (error) => {
  await connect(member, 0);
  server.change({ [paths.token]: refusal(error, 401) });
  expect(await ask()).toMatchObject(signInNeeded);
  await eventually(() => expect(asked(paths.register)).toHaveLength(2));
  await registered();
});

describe('a sign-in', () => {
  it('is of no use for an entry whose URL was edited', async () => {
    await connect(member);
    await admin.ok('PUT', `${base}/mcp-servers/notes`, {
      name: 'notes',
      shape: { type: 'remote', url: other.url },
    });
    await registered();
    // Neither for the session that runs, nor for one that is started now.
    expect(await ask()).toMatchObject(signInNeeded);
    await freeze({ shape: { type: 'remote', url: other.url } });
    expect(await ask()).toMatchObject(signInNeeded);
    expect(
      other.requests.filter(({ line, headers }) => line === paths.token || headers.authorization),
    ).toEqual([]);
    // What was given is revoked where it was given, by the sweep, by the workflow or by both.
    await eventually(() => expect(asked(paths.revoke).length).toBeGreaterThanOrEqual(2));
  });

  it('is of no use at another issuer that an admin accepted', async () => {
    await connect(member);
    server.change({
      [paths.resource]: { json: { ...honestResource(server.origin), authorization_servers: [other.origin] } },
    });
    await retry();
    await failed();
    expect(await ask()).toMatchObject(signInNeeded);
    await admin.ok('POST', `${base}/mcp-servers/notes/registration/accept`, {
      issuer: other.origin,
      resource: server.url,
    });
    await registered();
    expect(await ask()).toMatchObject(signInNeeded);
    expect(other.requests.some(({ body }) => body.includes('refresh-token'))).toBe(false);
  });

  it('serves no session that nobody drives, and no server that the session did not freeze', async () => {
    await connect(member);
    expect(await ask({ server: 'files' })).toMatchObject(signInNeeded);
    await freeze({ sign_in: 'none' });
    expect(await ask()).toMatchObject(signInNeeded);
    await freeze({ entry_id: randomUUID() });
    expect(await ask()).toMatchObject(signInNeeded);
    await freeze();
    await tokenOf();
    await api.db('sessions').where({ id: sessionId }).update({ operator_id: null });
    expect(await ask()).toMatchObject(signInNeeded);
  });

  it('is listed for its person alone, who signs out: it is revoked there, and its tokens are erased', async () => {
    const id = await connect(member);
    await tokenOf();
    const listed = await member.ok('GET', '/api/me/connections');
    expect(listed).toMatchObject({
      connections: [{ id, mcp_server: 'notes', issuer: server.origin, scopes: ['notes.write'] }],
    });
    expect(JSON.stringify(listed)).not.toContain('token-1');
    expect(await admin.ok('GET', '/api/me/connections')).toEqual({ connections: [] });
    expect(await admin.send('DELETE', `/api/me/connections/${id}`)).toMatchObject({ status: 404 });
    await member.ok('DELETE', `/api/me/connections/${id}`);
    expect(await ask()).toMatchObject(signInNeeded);
    expect(await member.ok('GET', '/api/me/connections')).toEqual({ connections: [] });
    await eventually(async () => expect((await ended())?.revoked_at).not.toBeNull());
    const revoked = asked(paths.revoke).map(({ body }) => Object.fromEntries(new URLSearchParams(body)));
    expect(revoked).toEqual([
      { token: 'refresh-token-1', token_type_hint: 'refresh_token', client_id: 'the-client' },
      { token: 'access-token-1', token_type_hint: 'access_token', client_id: 'the-client' },
    ]);
    const rows = await api.db('oauth_credentials').where({ oauth_connection_id: id });
    expect(rows).toEqual([]);
    expect((await events()).map(([event]) => event)).toEqual(['connection.ended', 'connection.revoked']);
  });

  it('ends when its person leaves the workspace', async () => {
    await connect(member);
    await admin.ok('DELETE', `${base}/members/${member.user.id}`);
    expect(await ended()).toMatchObject({ end_reason: 'left' });
    await eventually(() => expect(asked(paths.revoke)).toHaveLength(2));
  });

  it('whose server is in trouble is revoked later', async () => {
    const id = await connect(member);
    server.change({ [paths.revoke]: { status: 503, json: {} } });
    await member.ok('DELETE', `/api/me/connections/${id}`);
    await eventually(() => expect(asked(paths.revoke).length).toBeGreaterThan(1));
    expect((await ended())?.revoked_at).toBeNull();
    server.change({ [paths.revoke]: { json: {} } });
    await eventually(async () => expect((await ended())?.revoked_at).not.toBeNull());
  });

  it.each([
    [
      'says that the access token went with it, as Keycloak does',
      { status: 200, json: { error: 'invalid_token' } },
    ],
    ['refuses the access token', { status: 400, json: { error: 'unsupported_token_type' } }],
    ['fails at the access token', { status: 503, json: {} }],
  ])('is audited as revoked at a server that revokes the refresh token and %s', async (_, second) => {
    const id = await connect(member);
    server.change({
      [paths.revoke]: (_request, response, body) => {
        const isFirst = new URLSearchParams(body).get('token_type_hint') === 'refresh_token';
        response
          .writeHead(isFirst ? 200 : second.status, json)
          .end(isFirst ? '' : JSON.stringify(second.json));
      },
    });
    await member.ok('DELETE', `/api/me/connections/${id}`);
    await eventually(async () => expect((await ended())?.revoked_at).not.toBeNull());
    expect(await events()).toContainEqual([
      'connection.revoked',
      { user_id: member.user.id, issuer: server.origin, at_server: true },
    ]);
  });

  it('is audited as not revoked where the server revokes nothing', async () => {
    const id = await connect(member);
    server.change({ [paths.revoke]: { status: 400, json: { error: 'unsupported_token_type' } } });
    await member.ok('DELETE', `/api/me/connections/${id}`);
    await eventually(async () => expect((await ended())?.revoked_at).not.toBeNull());
    expect((await events()).at(-1)).toEqual([
      'connection.revoked',
      expect.objectContaining({ at_server: false }),
    ]);
  });

  it('is revoked with the entry, before its client is deleted', async () => {
    await connect(member);
    await admin.ok('DELETE', `${base}/mcp-servers/notes`);
    await eventually(() => expect(asked(paths.deletion)).toHaveLength(1));
    const lines = server.requests.map(({ line }) => line);
    expect(lines.indexOf(paths.revoke)).toBeGreaterThan(-1);
    expect(lines.indexOf(paths.revoke)).toBeLessThan(lines.indexOf(paths.deletion));
  });
});
