/** An operator signs in to a remote server: before a session, during a call, and before anything needs it. */
import { createHash, randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { pino } from 'pino';
import { giveToken } from '../../../api/internal/give-token.ts';
import { storeAttempt } from '../../../commands/oauth-authorizations/authorizations.ts';
import type { Authorization } from '../../../contract/authorization.ts';
import type { Session } from '../../../contract/session.ts';
import { authorizationWorkflowId } from '../../../contract/workflows.ts';
import { readAuthorization } from '../../../store/oauth-authorizations/authorizations.ts';
import { readConfiguration } from '../../../store/session-configurations/configurations.ts';
import { eventually, untilFound } from '../../support/eventually.ts';
import { loopbackServers } from '../../support/loopback-servers.ts';
import { paths } from '../../support/remote-server.ts';
import {
  audited,
  begin,
  callBack,
  connections,
  eventsOf,
  page,
  pendingOf,
  reaches,
  read,
  readOwn,
  redeemed,
  registration,
  signIn,
  start,
  startOf,
  unknown,
  useRemoteSignIns,
  waiting,
} from './remote-sign-ins.ts';
import { admin, api, base, member, server } from './two-remote-servers.ts';

useRemoteSignIns();

describe('a session whose operator is not signed in', () => {
  it('waits, leads its operator to the page, and goes on by itself when they have signed in', async () => {
    const { session, agent, id } = await waiting();
    expect(await read(session)).toMatchObject({
      status: 'awaiting_authorization',
      waiting_for: 'sign_in',
      status_reason: 'The operator has to sign in to "notes"',
    });
    expect(await eventsOf(session)).toContainEqual(
      expect.objectContaining({
        type: 'session.authorization_required',
        payload: { server: 'notes', url: page(id) },
      }),
    );
    expect(await readOwn(id)).toMatchObject({
      status: 'pending',
      mcp_server: 'notes',
      session: { id: session.id, agent: { id: agent.id } },
      parties: { issuer: server.origin, resource: server.url, authorization_host: server.host },
      scopes: ['notes.write'],
      missing_scopes: null,
      problem: null,
      origin: new URL(api.url).origin,
    });
    const begun = await begin(id);
    expect(`${begun.origin}${begun.pathname}`).toBe(`${server.origin}/authorize`);
    const verifierOf = Object.fromEntries(begun.searchParams);
    expect(verifierOf).toMatchObject({
      response_type: 'code',
      client_id: 'the-client',
      code_challenge_method: 'S256',
      resource: server.url,
      scope: 'notes.write',
      redirect_uri: (await registration())?.redirect_uri,
    });
    expect(await callBack(begun)).toBe(page(id));
    await reaches(session, 'starting');
    const [sent] = redeemed();
    expect(sent).toMatchObject({
      grant_type: 'authorization_code',
      code: 'the-code',
      resource: server.url,
      redirect_uri: verifierOf['redirect_uri'],
    });
    expect(
      createHash('sha256')
        .update(sent?.['code_verifier'] ?? '')
        .digest('base64url'),
    ).toBe(verifierOf['code_challenge']);
    expect(await readOwn(id)).toMatchObject({ status: 'connected' });
    expect(await connections()).toMatchObject([{ mcp_server: 'notes', issuer: server.origin }]);
    expect(await connections(admin)).toEqual([]);
    expect(await audited()).toContainEqual(
      expect.objectContaining({ event: 'connection.created', actor_id: member.user.id }),
    );
    // The bridge of this session is given what came with the code.
    await api.asSidecar(session.id, 'POST', 'ready', { control_url: 'http://127.0.0.1:1' });
    const { body } = await api.asSidecar(session.id, 'POST', 'access-tokens', { server: 'notes' });
    expect(body).toMatchObject({ result: 'token', access_token: 'access-token-1' });
  });

  it('starts at once the next time, for this operator and no other', async () => {
    const { agent, id } = await waiting();
    await signIn(id);
    await reaches(await startOf(agent), 'starting');
    const another = await startOf(agent, admin);
    await untilFound('the wait', async () =>
      (await read(another, admin)).status === 'awaiting_authorization' ? true : null,
    );
  });

  it('goes on with the sign-in that another session of the operator waited for', async () => {
    const first = await waiting();
    const second = await waiting();
    await signIn(second.id);
    await reaches(first.session, 'starting');
    await reaches(second.session, 'starting');
    expect(await readOwn(first.id)).toMatchObject({ status: 'connected' });
  });

  it('shows in Temporal what it waits for, and nothing of the sign-in', async () => {
    const { session, id } = await waiting();
    const begun = await begin(id);
    const handle = api.temporal.workflow.getHandle(authorizationWorkflowId(id));
    await eventually(async () => expect((await handle.describe()).status.name).toBe('RUNNING'));
    await callBack(begun);
    await reaches(session, 'starting');
    expect(await handle.result()).toEqual({ status: 'connected' });
    const histories = await Promise.all(
      [handle, api.temporal.workflow.getHandle(`session/${session.id}`)].map((each) => each.fetchHistory()),
    );
    const text = JSON.stringify(histories, (_, value) =>
      value?.type === 'Buffer' || value instanceof Uint8Array
        ? Buffer.from(value.data ?? value).toString()
        : value,
    );
    const state = begun.searchParams.get('state') ?? '';
    const challenge = begun.searchParams.get('code_challenge') ?? '';
    expect([...['the-code', 'token-1', state, challenge].filter((each) => text.includes(each))]).toEqual([]);
  });

  it('ends when it is terminated, and nothing waits for the sign-in any more', async () => {
    const { session, id } = await waiting();
    const begun = await begin(id);
    await member.ok('POST', `/api/sessions/${session.id}/terminate`, {});
    await reaches(session, 'terminated');
    expect(await readOwn(id)).toMatchObject({ status: 'cancelled' });
    expect(await callBack(begun)).toBe(unknown);
    expect(await member.send('POST', `/api/authorizations/${id}/begin`)).toMatchObject({ status: 409 });
    expect(redeemed()).toEqual([]);
    expect(api.runtime.started.some(({ configuration }) => configuration.session_id === session.id)).toBe(
      false,
    );
  });

  it('fails when the time is over, and says what to do', async () => {
    const { session, id } = await waiting();
    await api.db('oauth_authorizations').where({ id }).update({ expires_at: api.db.fn.now() });
    await api.workflows.settleAuthorization(id);
    expect(await reaches(session, 'failed')).toMatchObject({
      status_reason: 'The operator did not sign in to notes in time; start the session again to sign in',
    });
    expect(await readOwn(id)).toMatchObject({ status: 'expired' });
    expect(await member.send('POST', `/api/authorizations/${id}/begin`)).toMatchObject({ status: 409 });
  });
});

describe('during a session', () => {
  async function running() {
    // What earlier tests have ended is revoked at the same server.
    await eventually(async () =>
      expect(await api.db('oauth_connections').whereNotNull('ended_at').whereNull('revoked_at')).toEqual([]),
    );
    server.requests.length = 0;
    const { session, agent, id } = await waiting();
    await signIn(id);
    await reaches(session, 'starting');
    await api.asSidecar(session.id, 'POST', 'ready', { control_url: 'http://127.0.0.1:1' });
    await reaches(session, 'running');
    return { session, agent };
  }
  const ask = async (session: Session, body: object = {}) =>
    (await api.asSidecar(session.id, 'POST', 'access-tokens', { server: 'notes', ...body })).body as {
      result: string;
      token_id: string;
      message?: string;
    };

  it('a call without a usable sign-in leads the operator to it, once', async () => {
    const { session } = await running();
    await member.ok('DELETE', `/api/me/connections/${(await connections())[0]?.id}`);
    const answers = await Promise.all([ask(session), ask(session), ask(session)]);
    expect(answers.map(({ result }) => result)).toEqual(Array(3).fill('authorization_required'));
    const [pending, ...more] = await pendingOf(session);
    expect(more).toEqual([]);
    expect(await read(session)).toMatchObject({ status: 'running', waiting_for: 'sign_in' });
    await signIn(pending?.id ?? '');
    expect(await ask(session)).toMatchObject({ result: 'token' });
    await eventually(async () =>
      expect(await eventsOf(session)).toContainEqual(
        expect.objectContaining({
          type: 'platform.notice',
          payload: { code: 'signed_in', message: 'The operator signed in to "notes".' },
        }),
      ),
    );
    expect(await read(session)).toMatchObject({ waiting_for: null });
  });

  it('a call is answered, and leads the operator to the sign-in, also while Temporal does not answer', async () => {
    const { session } = await running();
    await member.ok('DELETE', `/api/me/connections/${(await connections())[0]?.id}`);
    const [frozen] = (await readConfiguration(api.db, session.id))?.servers ?? [];
    if (frozen === undefined) {
      throw new Error('the session has no server');
    }
    const never = () => new Promise<never>(() => undefined);
    const workflows = { startAuthorization: never, settleAuthorization: never, reviseRegistration: never };
    const { db, config } = api;
    const asker = {
      workspaceId: session.workspace_id,
      userId: member.user.id,
      server: frozen,
      sessionId: session.id,
    };
    const log = pino({ level: 'silent' });
    const dependencies = { db, config, log, workflows, remoteServers: loopbackServers };
    expect(await giveToken(dependencies, asker, {})).toMatchObject({ result: 'authorization_required' });
    expect(await pendingOf(session)).toHaveLength(1);
  });

  it('a call that needs more leads the operator to allow it, and then has it', async () => {
    const { session } = await running();
    const { token_id: rejected } = await ask(session);
    const refused = await ask(session, { rejected, missing_scopes: ['notes.delete'] });
    expect(refused).toMatchObject({ result: 'authorization_required' });
    expect(refused.message).toContain('notes.delete');
    // What was allowed goes on.
    expect(await ask(session)).toMatchObject({ result: 'token', token_id: rejected });
    const [pending] = await pendingOf(session);
    expect(await readOwn(pending?.id ?? '')).toMatchObject({
      scopes: ['notes.write', 'notes.delete'],
      missing_scopes: ['notes.delete'],
    });
    const begun = await begin(pending?.id ?? '');
    expect(begun.searchParams.get('scope')).toBe('notes.write notes.delete');
    await callBack(begun);
    const wider = await ask(session, { rejected, missing_scopes: ['notes.delete'] });
    expect(wider).toMatchObject({ result: 'token' });
    // A server may ask on and on for what it has been allowed: nobody is asked for it again.
    const again = await ask(session, { rejected: wider.token_id, missing_scopes: ['notes.delete'] });
    expect(again).toMatchObject({ result: 'authorization_required' });
    expect(await pendingOf(session)).toEqual([]);
    // Who signs in once more asks for nothing less.
    const connect = `${base}/mcp-servers/notes/connect`;
    const { authorization } = await member.ok<{ authorization: Authorization }>('POST', connect, {});
    expect(authorization.scopes).toEqual(['notes.write', 'notes.delete']);
    // The older sign-in is not revoked: the newer may be of the same grant.
    await eventually(async () =>
      expect(await audited()).toContainEqual(
        expect.objectContaining({
          event: 'connection.revoked',
          data: expect.objectContaining({ at_server: false }),
        }),
      ),
    );
    expect(server.requests.filter(({ line }) => line === paths.revoke)).toEqual([]);
  });

  it('a server that asks for more and more is asked no further', async () => {
    const { session } = await running();
    let last = '';
    for (const scope of ['a', 'b', 'c', 'd']) {
      const { token_id: rejected } = await ask(session);
      last = (await ask(session, { rejected, missing_scopes: [scope] })).message ?? '';
      const [pending] = await pendingOf(session);
      if (pending !== undefined) {
        await signIn(pending.id);
      }
    }
    expect(last).toContain('is not asked any more');
    expect(redeemed()).toHaveLength(4);
  });

  it('a server that asks for ever more while the operator signs in is counted as well', async () => {
    const { session } = await running();
    const { token_id: rejected } = await ask(session);
    const scopes = Array.from({ length: 12 }, (_, at) => `scope-${at}`);
    const answers = await Promise.all(
      scopes.map((scope) => ask(session, { rejected, missing_scopes: [scope] })),
    );
    expect(answers.filter(({ message }) => message?.includes('is not asked any more'))).toHaveLength(9);
    const [pending, ...more] = await pendingOf(session);
    expect([pending?.missing_scopes?.length, more]).toEqual([3, []]);
    // What the operator has begun is not taken from them again.
    const begun = await begin(pending?.id ?? '');
    await ask(session, { rejected, missing_scopes: ['one-more'] });
    expect(await callBack(begun)).toBe(page(pending?.id ?? ''));
  });

  it('a server never asks for more scopes than one question may name', async () => {
    const { session } = await running();
    const { token_id: rejected } = await ask(session);
    const many = (name: string) => Array.from({ length: 60 }, (_, at) => `${name}-${at}`);
    await ask(session, { rejected, missing_scopes: many('a') });
    const { message } = await ask(session, { rejected, missing_scopes: many('b') });
    expect(message).toContain('is not asked any more');
    expect((await pendingOf(session))[0]?.missing_scopes).toHaveLength(60);
  });

  it('two calls that need different things make one sign-in for both', async () => {
    const { session } = await running();
    const { token_id: rejected } = await ask(session);
    await ask(session, { rejected, missing_scopes: ['a'] });
    const [first] = await pendingOf(session);
    const begun = await begin(first?.id ?? '');
    await ask(session, { rejected, missing_scopes: ['b'] });
    expect(await pendingOf(session)).toMatchObject([{ id: first?.id, missing_scopes: ['a', 'b'] }]);
    // What was begun asked for less.
    expect(await callBack(begun)).toBe(unknown);
  });

  it('nothing is begun for other scopes than those that are asked for when it is stored', async () => {
    const { id } = await waiting();
    const authorization = await readAuthorization(api.db, id);
    if (authorization === null) {
      throw new Error('there is no authorization');
    }
    const store = (scopes: string[]) =>
      storeAttempt(
        api.db,
        api.config.MASTER_KEYS,
        { ...authorization, scopes },
        {
          state: 'the-state',
          signInId: randomUUID(),
          codeVerifier: 'the-verifier',
          bound: {
            url: server.url,
            resource: server.url,
            issuer: server.origin,
            oauth_client_id: randomUUID(),
          },
        },
      );
    expect(await store([])).toBe(false);
    expect(await store(authorization.scopes)).toBe(true);
  });
});

describe('without a session', () => {
  const connect = () =>
    member.ok<{ authorization: Authorization }>('POST', `${base}/mcp-servers/notes/connect`, {});

  it('a person connects, and connects again', async () => {
    const { authorization } = await connect();
    expect(authorization).toMatchObject({ status: 'pending', session: null, mcp_server: 'notes' });
    expect((await connect()).authorization.id).toBe(authorization.id);
    await signIn(authorization.id);
    const { authorization: next } = await connect();
    expect(next.id).not.toBe(authorization.id);
    await signIn(next.id);
    expect(await connections()).toHaveLength(1);
    const { session } = await start();
    await reaches(session, 'starting');
  });

  it('nobody connects to an entry that cannot be used, or is none', async () => {
    server.change({ [paths.mcp]: { status: 404, json: {} } });
    await admin.send('POST', `${base}/mcp-servers/notes/registration/retry`);
    await untilFound('the failure', async () => ((await registration())?.status === 'failed' ? true : null));
    expect(await member.send('POST', `${base}/mcp-servers/notes/connect`)).toMatchObject({ status: 409 });
    expect(await member.send('POST', `${base}/mcp-servers/other/connect`)).toMatchObject({ status: 404 });
  });

  it('an admin checks an entry with their own sign-in', async () => {
    const check = () =>
      admin.ok<{ mcp_check: { id: string } }>('POST', `${base}/mcp-servers/notes/checks`, { env: {} });
    const end = ({ mcp_check: { id } }: { mcp_check: { id: string } }) =>
      untilFound('the end of the check', async () => {
        const row = await api.db('mcp_checks').where({ id }).first('ended_at', 'reason');
        return row?.ended_at ? row : null;
      });
    expect(await end(await check())).toMatchObject({
      reason: 'You are not signed in to "notes"; sign in on its page, then check it again',
    });
    const { authorization } = await admin.ok<{ authorization: Authorization }>(
      'POST',
      `${base}/mcp-servers/notes/connect`,
      {},
    );
    expect(await callBack(await begin(authorization.id, admin), {}, admin)).toBe(page(authorization.id));
    const { mcp_check: started } = await check();
    await untilFound('the start of the check', async () =>
      api.runtime.started.some(({ configuration }) => configuration.session_id === started.id) ? true : null,
    );
    const answer = await api.asSidecar(started.id, 'POST', 'access-tokens', { server: 'notes' });
    expect(answer.body).toMatchObject({ result: 'token', access_token: 'access-token-1' });
  });
});
