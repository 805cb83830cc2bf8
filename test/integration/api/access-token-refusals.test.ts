/**
 * Tokens that live for seconds, and servers that refuse all of them, or answer a refresh with something else.
 */
import type { ServerResponse } from 'node:http';
import { describe, expect, it } from '@jest/globals';
import type { McpRegistration } from '../../../contract/mcp-registration.ts';
import type { Person } from '../../support/api.ts';
import { paths } from '../../support/remote-server.ts';
import {
  ask,
  connect,
  ended,
  events,
  html,
  json,
  pendingSignIns,
  refreshed,
  signInNeeded,
  tokenOf,
  tokens,
  useTokenQuestions,
} from './token-questions.ts';
import { admin, api, base, member, other, server } from './two-remote-servers.ts';

useTokenQuestions();

describe('an access token', () => {
  it.each([1, 5, 30])(
    'that lives for %i s is refreshed once for one question, and then used',
    async (expires_in) => {
      server.change({ [paths.token]: tokens({ expires_in }) });
      await connect(member, 0);
      const { access_token, expires_at } = await tokenOf();
      expect(access_token).toBe('access-token-2');
      expect(expires_at).not.toBeNull();
      expect(refreshed()).toEqual(['refresh-token-1']);
    },
  );

  it('that lives for 30 s is not refreshed before a tenth of that is left', async () => {
    const id = await connect(member, 20_000);
    await api
      .db('oauth_connections')
      .where({ id })
      .update({ refreshed_at: api.db.raw("expires_at - interval '30 seconds'") });
    expect(await tokenOf()).toMatchObject({ access_token: 'access-token-1' });
    expect(refreshed()).toEqual([]);
    await api
      .db('oauth_connections')
      .where({ id })
      .update({
        refreshed_at: api.db.raw("now() - interval '28 seconds'"),
        expires_at: api.db.raw("now() + interval '2 seconds'"),
      });
    expect(await tokenOf()).toMatchObject({ access_token: 'access-token-2' });
  });

  it('without a refresh token is used to its end, and then the operator has to sign in', async () => {
    const id = await connect(member, 20_000);
    await api
      .db('oauth_credentials')
      .where({ oauth_connection_id: id })
      .andWhere('name', 'like', '%/refresh-token')
      .delete();
    expect(await tokenOf()).toMatchObject({ access_token: 'access-token-1' });
    await api.db('oauth_connections').where({ id }).update({ expires_at: api.db.fn.now() });
    expect(await ask()).toMatchObject(signInNeeded);
    expect(refreshed()).toEqual([]);
  });

  it('that is refused again after a new sign-in leads no one to sign in any more, and says so in the server’s words', async () => {
    const said = 'invalid_token: The audience is "wrong"';
    const refuse = async (words: object) => {
      const { token_id: rejected } = await tokenOf();
      return ask({ rejected, renewed: true, ...words });
    };
    await connect(member);
    expect(await refuse({ said })).toMatchObject(signInNeeded);
    const [pending] = await pendingSignIns();
    expect(pending?.problem).toContain(`it says "invalid_token: The audience is 'wrong'"`);
    // As after that sign-in.
    await api.db('oauth_connections').update({ ended_at: api.db.fn.now(), end_reason: 'replaced' });
    await api.db('oauth_authorizations').update({ status: 'connected' });
    await connect(member);
    for (let time = 0; time < 2; time += 1) {
      const answer = await refuse({ said });
      expect(answer).toMatchObject(signInNeeded);
      expect(answer.text).toContain('refuses every access token, also those of a new sign-in');
      expect(answer.text).toContain('The audience is');
    }
    expect(await pendingSignIns()).toEqual([]);
    const told = (await events()).filter(([event]) => event === 'connection.tokens_refused');
    expect(told).toHaveLength(2);
    expect(told[0]?.[1]).toMatchObject({
      user_id: member.user.id,
      explanation: expect.stringContaining('The audience is'),
    });
  });

  it('whose refusal repeats it is not quoted', async () => {
    await connect(member);
    const { token_id: rejected } = await tokenOf();
    await ask({ rejected, renewed: true, said: 'unknown: access-token-1' });
    const [pending] = await pendingSignIns();
    expect(pending?.problem).toContain('it does not say why');
    expect(JSON.stringify([pending, await events()])).not.toContain('access-token-1');
  });

  it.each([
    [
      'a page',
      'answers with text/html',
      (_request: unknown, response: ServerResponse) => response.writeHead(200, html).end('<h1>'),
    ],
    [
      'no JSON',
      'is not JSON',
      (_request: unknown, response: ServerResponse) => response.writeHead(200, json).end('{'),
    ],
    ['no token', '"access_token" is missing', { json: { token_type: 'Bearer' } }],
  ])(
    'is not given once two refreshes in a row were answered with %s, and the person reads why',
    async (_, why, reply) => {
      await connect(member, 0);
      server.change({ [paths.token]: reply });
      expect(await ask()).toMatchObject({ status: 503 });
      expect(await ended()).toMatchObject({ ended_at: null });
      expect(await ask()).toMatchObject(signInNeeded);
      expect(await ended()).toMatchObject({ end_reason: 'refused' });
      expect(refreshed()).toEqual(['refresh-token-1', 'refresh-token-1']);
      const [[, data] = []] = await events();
      const [pending] = await pendingSignIns();
      expect(pending?.problem).toContain(why);
      expect(data).toMatchObject({ explanation: pending?.problem });
    },
  );

  it('is given again after an answer that was none, and then counts from the start', async () => {
    const id = await connect(member, 0);
    for (let time = 0; time < 2; time += 1) {
      server.change({ [paths.token]: { json: {} } });
      expect(await ask()).toMatchObject({ status: 503 });
      server.change({ [paths.token]: tokens() });
      await tokenOf();
      await api.db('oauth_connections').where({ id }).update({ expires_at: api.db.fn.now() });
    }
    expect(await ended()).toMatchObject({ ended_at: null });
  });
});

describe('the catalog entry of a server that refuses sign-ins', () => {
  const path = () => `${base}/mcp-servers/notes`;
  const refusedIn = async (person: Person) => {
    const { mcp_server: shown } = await person.ok<{ mcp_server: { registration: McpRegistration } }>(
      'GET',
      path(),
    );
    return shown.registration.refused_sign_ins;
  };
  const says = (error_description: string) =>
    server.change({ [paths.token]: { status: 400, json: { error: 'invalid_grant', error_description } } });
  const refuse = async () => {
    await connect(member, 0);
    says('The session \u202e\u0000 of "Max" has <b>ended</b>');
    expect(await ask()).toMatchObject(signInNeeded);
  };
  const shownToAdmin = () => ({
    people: 1,
    latest: {
      user_id: member.user.id,
      refused_at: expect.any(String),
      reason: expect.stringContaining(`"invalid_grant", saying "The session of 'Max' has <b>ended</b>"`),
    },
  });

  it('shows whom and why to admins, in the server’s words, and nothing of it to others', async () => {
    expect(await refusedIn(admin)).toBeNull();
    await refuse();
    expect(await refusedIn(admin)).toEqual(shownToAdmin());
    expect(await refusedIn(member)).toBeNull();
    for (const list of [path(), `${base}/mcp-servers`]) {
      const [admins, members] = await Promise.all([admin.send('GET', list), member.send('GET', list)]);
      expect(admins.text).toContain('has <b>ended</b>');
      expect(admins.text).not.toContain('token-1');
      expect(members.text).not.toContain('has <b>ended</b>');
    }
    const { registration } = await admin.ok<{ registration: McpRegistration }>(
      'POST',
      `${path()}/registration/retry`,
    );
    expect(registration.refused_sign_ins).toEqual(shownToAdmin());
  });

  it('counts people, by the last sign-in of each', async () => {
    const id = await connect(admin);
    const refused = { ended_at: api.db.fn.now(), end_reason: 'refused', refusal: 'An older one' } as const;
    const refused_at = api.db.raw("now() - interval '1 hour'");
    await api
      .db('oauth_connections')
      .where({ id })
      .update({ ...refused, refused_at });
    await refuse();
    expect(await refusedIn(admin)).toEqual({ ...shownToAdmin(), people: 2 });
    await connect(member);
    expect(await refusedIn(admin)).toMatchObject({
      people: 1,
      latest: { user_id: admin.user.id, reason: 'An older one' },
    });
    await connect(admin);
    expect(await refusedIn(admin)).toBeNull();
  });

  it.each([
    ['who has left', () => admin.ok('DELETE', `${base}/members/${member.user.id}`)],
    [
      'another server',
      () => admin.ok('PUT', path(), { name: 'notes', shape: { type: 'remote', url: other.url } }),
    ],
  ])('says nothing of %s', async (_what, change) => {
    await refuse();
    expect(await refusedIn(admin)).toEqual(shownToAdmin());
    await change();
    expect(await refusedIn(admin)).toBeNull();
  });

  it('shows that fresh tokens are refused, and when they were last', async () => {
    await connect(member);
    const { token_id: rejected } = await tokenOf();
    const report = () => ask({ rejected, renewed: true, said: 'invalid_token: The audience is wrong' });
    await report();
    const reason = expect.stringContaining('it says "invalid_token: The audience is wrong"');
    const latest = { user_id: member.user.id, refused_at: expect.any(String), reason };
    expect(await refusedIn(admin)).toEqual({ people: 1, latest });
    const refused_at = api.db.raw("refused_at - interval '1 day'");
    await api.db('oauth_connections').whereNull('ended_at').update({ refused_at });
    const before = await refusedIn(admin);
    await report();
    const again = await refusedIn(admin);
    expect(again).toEqual({ people: 1, latest });
    expect(again?.latest.refused_at).not.toBe(before?.latest.refused_at);
  });
});
