/** What an authorization server sends back, and everybody who would like to bring it for somebody else. */
import { describe, expect, it } from '@jest/globals';
import type { Authorization } from '../../../contract/authorization.ts';
import type { Person } from '../../support/api.ts';
import { untilFound } from '../../support/eventually.ts';
import { honestIssuer, honestResource, paths } from '../../support/remote-server.ts';
import {
  begin,
  callBack,
  page,
  pendingOf,
  reaches,
  readOwn,
  redeemed,
  registered,
  registration,
  signIn,
  tokens,
  unknown,
  useRemoteSignIns,
  waiting,
} from './remote-sign-ins.ts';
import { admin, api, base, member, other, server } from './two-remote-servers.ts';

useRemoteSignIns();

describe('an answer', () => {
  it.each(['access_denied', 'server_error', 'invalid_scope'])(
    'with the error %s is told, redeems nothing, and the person may begin again',
    async (error) => {
      const { session, id } = await waiting();
      expect(await callBack(await begin(id), { code: null, error })).toBe(page(id));
      const { status, problem } = await readOwn(id);
      expect([status, problem]).toEqual(['pending', expect.stringContaining(error)]);
      expect(redeemed()).toEqual([]);
      await signIn(id);
      await reaches(session, 'starting');
      expect(await readOwn(id)).toMatchObject({ problem: null });
    },
  );

  it('counts once', async () => {
    const { id } = await waiting();
    const begun = await begin(id);
    expect(await callBack(begun)).toBe(page(id));
    expect(await callBack(begun)).toBe(unknown);
    expect(redeemed()).toHaveLength(1);
  });

  it('counts only for what was begun last', async () => {
    const { id } = await waiting();
    const [first, second] = [await begin(id), await begin(id)];
    expect(await callBack(first)).toBe(unknown);
    expect(await callBack(second)).toBe(page(id));
    expect(redeemed()).toHaveLength(1);
  });

  it('counts for one of two that come at once', async () => {
    const { id } = await waiting();
    const begun = await begin(id);
    const pages = await Promise.all([callBack(begun), callBack(begun), callBack(begun)]);
    expect(pages.filter((each) => each === page(id))).toHaveLength(1);
    expect(redeemed()).toHaveLength(1);
  });

  it('is not taken from another person, another browser of the same person, or nobody', async () => {
    const { id, session } = await waiting();
    const begun = await begin(id);
    expect(await callBack(begun, {}, admin)).toBe(unknown);
    expect(await callBack(begun, {}, api.anonymous)).toBe(unknown);
    const { cookie } = member;
    const again = await api.anonymous.send('POST', '/api/auth/demo-sign-in', { email: member.user.email });
    const elsewhere = (again.headers.getSetCookie()[0] ?? '').split(';')[0] ?? '';
    expect(elsewhere).not.toBe(cookie);
    const send: Person['send'] = (method, path, body) =>
      api.anonymous.send(method, path, body, { cookie: elsewhere });
    expect(await callBack(begun, {}, { send })).toBe(unknown);
    expect(redeemed()).toEqual([]);
    // What they tried has used nothing up.
    expect(await callBack(begun)).toBe(page(id));
    await reaches(session, 'starting');
  });

  it('is not taken once the person has signed out of the platform', async () => {
    const { id } = await waiting();
    const begun = await begin(id);
    await member.ok('POST', '/api/auth/sign-out', {});
    expect(await callBack(begun)).toBe(unknown);
    expect(redeemed()).toEqual([]);
  });

  it.each([
    ['another issuer', { iss: 'https://elsewhere.test' }],
    ['the issuer with a slash at its end', { iss: `slash` }],
    ['no issuer', { iss: null }],
    ['another issuer and an error', { iss: 'https://elsewhere.test', code: null, error: 'access_denied' }],
  ])('from %s is not used, and its words are not shown', async (_, changed) => {
    const { id } = await waiting();
    const iss = changed.iss === 'slash' ? { iss: `${server.origin}/` } : {};
    expect(
      await callBack(await begin(id), { ...changed, ...iss, error_description: 'click evil.test' }),
    ).toBe(page(id));
    const { status, problem } = await readOwn(id);
    expect([status, problem]).toEqual(['pending', expect.stringContaining('it is not used')]);
    expect(problem).not.toContain('evil');
    expect(redeemed()).toEqual([]);
  });

  it.each([
    ['without a state', { state: null }],
    ['with the state of nothing', { state: 'A'.repeat(43) }],
    ['with a code and an error', { error: 'access_denied' }],
    ['with neither', { code: null }],
  ])('%s belongs to nothing', async (_, changed) => {
    const { id } = await waiting();
    expect(await callBack(await begin(id), changed)).toBe(unknown);
    expect(redeemed()).toEqual([]);
  });

  it('at the redirect URI of another server belongs to nothing', async () => {
    await admin.ok('POST', `${base}/mcp-servers`, {
      name: 'other',
      shape: { type: 'remote', url: other.url },
    });
    const redirectUri = await untilFound('the other redirect URI', async () => {
      const row = await api.db('mcp_registrations').where({ entry_name: 'other', status: 'ready' }).first();
      return row?.redirect_uri ?? null;
    });
    const { id } = await waiting();
    const begun = await begin(id);
    const mixedUp = new URL(begun);
    mixedUp.searchParams.set('redirect_uri', redirectUri);
    expect(await callBack(mixedUp)).toBe(unknown);
    expect(other.requests.some(({ line }) => line === paths.token)).toBe(false);
    expect(await callBack(begun)).toBe(page(id));
  });

  it('that comes a day later belongs to nothing', async () => {
    const { id } = await waiting();
    const begun = await begin(id);
    await api.db('oauth_authorizations').where({ id }).update({ state_expires_at: api.db.fn.now() });
    expect(await callBack(begun)).toBe(unknown);
    expect(redeemed()).toEqual([]);
  });

  it('is not redeemed where the entry has another client by now', async () => {
    const { id } = await waiting();
    const begun = await begin(id);
    const shape = { type: 'remote', url: server.url, client: { client_id: 'by-hand' } };
    await admin.ok('PUT', `${base}/mcp-servers/notes`, { name: 'notes', shape });
    await registered();
    expect(await callBack(begun)).toBe(page(id));
    expect((await readOwn(id)).problem).toContain('was changed while you signed in');
    expect(redeemed()).toEqual([]);
    // The same server, and another client: the person may begin again.
    await signIn(id);
  });

  it('belongs to nothing where the entry is another server by now, and the session says why it fails', async () => {
    const { id, session } = await waiting();
    const begun = await begin(id);
    other.change({ [paths.issuer]: { json: honestIssuer(other.origin) } });
    await admin.ok('PUT', `${base}/mcp-servers/notes`, {
      name: 'notes',
      shape: { type: 'remote', url: other.url },
    });
    expect(await callBack(begun)).toBe(unknown);
    expect(await readOwn(id)).toMatchObject({ status: 'cancelled' });
    expect(await member.send('POST', `/api/authorizations/${id}/begin`)).toMatchObject({ status: 409 });
    await api.workflows.settleAuthorization(id);
    expect(await reaches(session, 'failed')).toMatchObject({
      status_reason:
        'notes was changed or removed in the catalog before the operator signed in; start the session again',
    });
    expect([...server.requests, ...other.requests].filter(({ line }) => line === paths.token)).toEqual([]);
  });

  it('belongs to nothing where an admin has accepted another issuer meanwhile', async () => {
    const { id } = await waiting();
    const begun = await begin(id);
    const resource = { ...honestResource(server.origin), authorization_servers: [other.origin] };
    server.change({ [paths.resource]: { json: resource } });
    await admin.ok('POST', `${base}/mcp-servers/notes/registration/retry`);
    await untilFound('the other issuer', async () =>
      (await registration())?.status === 'failed' ? true : null,
    );
    const parties = { issuer: other.origin, resource: server.url };
    await admin.ok('POST', `${base}/mcp-servers/notes/registration/accept`, parties);
    expect(await readOwn(id)).toMatchObject({ status: 'cancelled' });
    expect(await callBack(begun)).toBe(unknown);
    expect(redeemed()).toEqual([]);
  });

  it('is not redeemed once the entry is removed, and nobody begins there', async () => {
    const { authorization } = await member.ok<{ authorization: Authorization }>(
      'POST',
      `${base}/mcp-servers/notes/connect`,
      {},
    );
    const begun = await begin(authorization.id);
    // As long as its server keeps the client.
    server.change({ [paths.deletion]: { status: 503, json: {} } });
    await admin.ok('DELETE', `${base}/mcp-servers/notes`);
    expect(await readOwn(authorization.id)).toMatchObject({ status: 'pending', parties: null });
    expect(await callBack(begun)).toBe(page(authorization.id));
    expect(await member.send('POST', `/api/authorizations/${authorization.id}/begin`)).toMatchObject({
      status: 409,
    });
    expect(redeemed()).toEqual([]);
  });

  it.each([
    ['invalid_grant', 400, 'Sign in again'],
    ['invalid_client', 401, 'ask an admin to look at the entry'],
    ['server_error', 503, 'Sign in again'],
  ])('whose code is refused with %s is told, and the person may begin again', async (error, status, told) => {
    const { id, session } = await waiting();
    server.change({ [paths.token]: { status, json: { error } } });
    expect(await callBack(await begin(id))).toBe(page(id));
    const { problem, status: shown } = await readOwn(id);
    expect([shown, problem]).toEqual(['pending', expect.stringContaining(told)]);
    server.change({ [paths.token]: tokens() });
    await registered();
    await signIn(id);
    await reaches(session, 'starting');
  });

  it('whose client is refused right after its registration does not have the platform register again and again', async () => {
    const { id } = await waiting();
    server.change({ [paths.token]: { status: 401, json: { error: 'invalid_client' } } });
    for (let time = 0; time < 3; time += 1) {
      expect(await callBack(await begin(id))).toBe(page(id));
      expect(await readOwn(id)).toMatchObject({
        status: 'pending',
        problem: expect.stringContaining('nobody has signed in with this client'),
      });
    }
    expect(server.requests.filter(({ line }) => line === paths.register)).toHaveLength(1);
  });

  it('whose client worked before, and is unknown by now, has the platform register again', async () => {
    const first = await waiting();
    await signIn(first.id);
    await reaches(first.session, 'starting');
    const { authorization } = await admin.ok<{ authorization: Authorization }>(
      'POST',
      `${base}/mcp-servers/notes/connect`,
      {},
    );
    const begun = new URL(
      (await admin.ok<{ url: string }>('POST', `/api/authorizations/${authorization.id}/begin`)).url,
    );
    server.change({ [paths.token]: { status: 401, json: { error: 'invalid_client' } } });
    expect(await callBack(begun, {}, admin)).toBe(page(authorization.id));
    expect(await readOwn(authorization.id, admin)).toMatchObject({
      problem: expect.stringContaining('registers again'),
    });
    await registered();
    expect(server.requests.filter(({ line }) => line === paths.register)).toHaveLength(2);
  });

  it('that is refused after the person has begun again says nothing about the new try', async () => {
    const { id, session } = await waiting();
    const begunAgain: URL[] = [];
    server.change({
      [paths.token]: async (_request, response) => {
        begunAgain.push(await begin(id));
        response.writeHead(400, { 'content-type': 'application/json' }).end('{"error":"invalid_grant"}');
      },
    });
    expect(await callBack(await begin(id))).toBe(page(id));
    expect(await readOwn(id)).toMatchObject({ status: 'pending', problem: null });
    server.change({ [paths.token]: tokens() });
    expect(await Promise.all(begunAgain.map((again) => callBack(again)))).toEqual([page(id)]);
    await reaches(session, 'starting');
  });

  it('whose tokens cannot be stored leaves none of them behind', async () => {
    const { id } = await waiting();
    const begun = await begin(id);
    server.change({
      [paths.token]: async (...request) => {
        await api.db.raw('alter table oauth_connections add constraint no_room check (false) not valid');
        (tokens() as (...all: typeof request) => void)(...request);
      },
    });
    try {
      expect(await callBack(begun)).toBe(page(id));
    } finally {
      await api.db.raw('alter table oauth_connections drop constraint no_room');
    }
    expect((await readOwn(id)).problem).toContain('could not complete the sign-in');
    expect(
      server.requests
        .filter(({ line }) => line === paths.revoke)
        .map(({ body }) => new URLSearchParams(body).get('token')),
    ).toEqual(['refresh-token-1']);
    server.change({ [paths.token]: tokens() });
    await signIn(id);
  });

  it('of a person who has left meanwhile connects nobody: what it gave is revoked', async () => {
    const { id } = await waiting();
    const begun = await begin(id);
    server.change({
      [paths.token]: async (...request) => {
        await admin.ok('DELETE', `${base}/members/${member.user.id}`);
        (tokens() as (...all: typeof request) => void)(...request);
      },
    });
    expect(await callBack(begun)).toBe(page(id));
    expect(
      server.requests
        .filter(({ line }) => line === paths.revoke)
        .map(({ body }) => new URLSearchParams(body).get('token')),
    ).toEqual(['refresh-token-1']);
    expect(await api.db('oauth_connections').where({ user_id: member.user.id })).toEqual([]);
  });
});

describe('a sign-in of somebody else', () => {
  it('can be read and begun by its person alone; others see that the session waits', async () => {
    const { id, session } = await waiting();
    const stranger = await api.person('Stranger');
    for (const person of [admin, stranger]) {
      expect(await person.send('GET', `/api/authorizations/${id}`)).toMatchObject({ status: 404 });
      expect(await person.send('POST', `/api/authorizations/${id}/begin`)).toMatchObject({ status: 404 });
    }
    expect(await pendingOf(session, admin)).toMatchObject([{ id, mcp_server: 'notes' }]);
    expect(await stranger.send('GET', `/api/sessions/${session.id}/authorizations`)).toMatchObject({
      status: 404,
    });
    expect(await api.anonymous.send('GET', `/api/authorizations/${id}`)).toMatchObject({ status: 401 });
  });

  it('is begun by a request of the platform’s own pages alone', async () => {
    const { id } = await waiting();
    for (const headers of [{ origin: 'https://evil.test' }, { 'sec-fetch-site': 'cross-site' }]) {
      expect(await member.send('POST', `/api/authorizations/${id}/begin`, {}, headers)).toMatchObject({
        status: 403,
      });
    }
  });

  it('is begun only where the answer comes back to', async () => {
    const { id } = await waiting();
    const [{ redirect_uri: before } = { redirect_uri: '' }] = await api.db('oauth_clients').where({
      registration_id: (await registration())?.id ?? '',
    });
    await api.db('oauth_clients').update({ redirect_uri: before.replace('127.0.0.1', 'localhost') });
    const refused = await member.send('POST', `/api/authorizations/${id}/begin`);
    expect(refused).toMatchObject({ status: 409 });
    expect(refused.text).toContain('Open the platform at http://localhost:');
  });
});
