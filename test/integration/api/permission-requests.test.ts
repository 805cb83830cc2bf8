import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Agent } from '../../../contract/agent.ts';
import type { Session } from '../../../contract/session.ts';
import type { Workspace } from '../../../contract/workspace.ts';
import type { Person } from '../../support/api.ts';
import { askPermission } from '../../support/ask-permission.ts';
import { eventually } from '../../support/eventually.ts';
import { frozenFor, replaceConfiguration } from '../../support/granted.ts';
import { type SessionApi, startSessionApi } from '../../support/session-api.ts';

let api: SessionApi;
let workspace: Workspace;
let admin: Person;
let member: Person;
let base: string;
let session: Session;
let agent: Agent;

beforeAll(async () => {
  api = await startSessionApi();
});
beforeEach(async () => {
  ({ workspace, admin, member, base } = await api.workspace());
  ({ session, agent } = await api.runningSession(member, base));
  await replaceConfiguration(api.db, frozenFor(session, agent));
});
afterAll(() => api.stop());

const ask = (content: Record<string, unknown> = {}) => askPermission(api, session.id, content);
const read = async (id: string, person = member) =>
  (await person.ok<{ permission_request: object }>('GET', `${base}/permission-requests/${id}`))
    .permission_request;
const count = (person: Person) => person.ok('GET', `${base}/permission-requests/count`);
const newcomer = async () => {
  const person = await api.person('Nina Newcomer');
  await api.join(workspace, person, 'member');
  return person;
};

describe('a permission request', () => {
  it('includes what the platform knows: who requests it, for whom, and what it opens', async () => {
    const request_id = await ask();
    const facts = {
      agent: { id: agent.id, name: agent.name },
      operator: { id: member.user.id, name: 'Max Member' },
      root_operator: { id: member.user.id, name: 'Max Member' },
      child_agent: null,
      decider: null,
      tools: [
        { server: 'files', tool: 'edit_file' },
        { server: 'files', tool: 'write_file' },
      ],
      more_tools: 0,
    };
    expect(await read(request_id)).toMatchObject(facts);
    expect(await member.ok('GET', `${base}/permission-requests?session_id=${session.id}`)).toMatchObject({
      permission_requests: [{ id: request_id, ...facts }],
    });
    expect(await member.ok('GET', `/api/sessions/${session.id}/events`)).toMatchObject({
      events: expect.arrayContaining([
        expect.objectContaining({
          type: 'agent.permission_request',
          payload: expect.objectContaining({ agent: facts.agent, tools: facts.tools, more_tools: 0 }),
        }),
      ]),
    });
  });

  it('names the agent that it requests to start', async () => {
    await replaceConfiguration(api.db, frozenFor(session, { ...agent, kind: 'orchestrator' }));
    const request_id = await ask({ grant_type: 'spawn', details: { child_agent_id: agent.id } });
    expect(await read(request_id)).toMatchObject({
      child_agent: { id: agent.id, name: agent.name },
      tools: [],
      may_grant: { agent: ['once', 'session'], operator: [] },
    });
  });

  it('lists the answers that the caller may give, and refuses others', async () => {
    const request_id = await ask({ scope: 'persistent' });
    expect(await read(request_id)).toMatchObject({
      may_decide: true,
      may_grant: { agent: ['once', 'session'], operator: ['once', 'session', 'persistent'] },
    });
    expect(await read(request_id, admin)).toMatchObject({
      may_decide: true,
      may_grant: {
        agent: ['once', 'session', 'persistent'],
        operator: ['once', 'session', 'persistent'],
      },
    });
    const grant = (scope: string) =>
      member.send('POST', `${base}/grants`, {
        agent_subject_id: agent.id,
        grant_type: 'tool_scope',
        details: { scope: 'files.write' },
        scope,
        session_id: scope === 'session' ? session.id : null,
        request_id,
      });
    expect(await grant('persistent')).toMatchObject({ status: 403 });
    expect(await grant('session')).toMatchObject({ status: 201 });
    expect(await read(request_id)).toMatchObject({
      status: 'approved',
      decider: { id: member.user.id, name: 'Max Member' },
      may_decide: false,
      may_grant: { agent: [], operator: [] },
    });
  });

  it('offers no answers to callers who may only read', async () => {
    const reader = await newcomer();
    await api.db('sessions').where({ id: session.id }).update({ shared_with_workspace: true });
    expect(await read(await ask(), reader)).toMatchObject({
      may_decide: false,
      may_grant: { agent: [], operator: [] },
    });
  });

  describe('of a session that its agent’s owner may not read', () => {
    let owner: Person;
    beforeEach(async () => {
      owner = await newcomer();
      await api.db('agents').where({ id: agent.id }).update({ owner_id: owner.user.id });
    });
    const call = { server: 'files', tool: 'write_file', arguments: '{"path":"a.txt"}' };
    const grant = (content: Record<string, unknown>) =>
      owner.send('POST', `${base}/grants`, {
        agent_subject_id: agent.id,
        grant_type: 'tool_scope',
        details: { scope: 'files.write' },
        scope: 'once',
        ...content,
      });
    const stateOf = async (id: string) =>
      (await api.asSidecar(session.id, 'GET', `permission-requests/${id}`)).body;

    it('is decided by others, and shows them nothing of what its agent said', async () => {
      const request_id = await ask({ refused_call: call });
      expect(await read(request_id, owner)).toMatchObject({
        details: { scope: 'files.write' },
        justification: null,
        refused_call: { server: 'files', tool: 'write_file', digest: null, arguments_size_bytes: null },
        may_decide: false,
        may_mute: false,
        may_grant: { agent: [], operator: [] },
      });
      expect(await count(owner)).toEqual({ open: 1, may_decide: 0 });
      const { refused_call: seen } = (await read(request_id)) as { refused_call: { digest: string } };
      const call_digest = seen.digest;
      for (const content of [
        { request_id, call_digest },
        { request_id, call_digest, exact_call: true },
        { request_id },
        { scope: 'session', session_id: session.id },
        { scope: 'session', session_id: session.id, request_id, call_digest },
      ]) {
        expect(await grant(content)).toMatchObject({ status: 403 });
      }
      expect(await owner.send('POST', `${base}/permission-requests/${request_id}/deny`, {})).toMatchObject({
        status: 403,
      });
      expect(await owner.send('GET', `${base}/permission-requests/${request_id}/call`)).toMatchObject({
        status: 403,
      });
      expect(await stateOf(request_id)).toMatchObject({ status: 'open' });
      await member.ok('POST', `${base}/permission-requests/${request_id}/deny`, { reason: 'A word to it' });
      expect(await read(request_id, owner)).toMatchObject({ status: 'denied', reason: null });
    });

    it('is not answered by an equal grant that they make for the agent', async () => {
      const request_id = await ask({ scope: 'once' });
      const made = await grant({});
      expect(made).toMatchObject({ status: 201, body: { grant: { request_id: null, bound_to: null } } });
      expect(await stateOf(request_id)).toMatchObject({ status: 'open' });
    });

    it('leads to grants that they neither end nor compare calls with', async () => {
      const request_id = await ask({ refused_call: call });
      const { refused_call: seen } = (await read(request_id)) as { refused_call: { digest: string } };
      const exact = { scope: 'once', request_id, call_digest: seen.digest, exact_call: true };
      const { grant: bound } = await member.ok<{ grant: { id: string } }>('POST', `${base}/grants`, {
        ...{ agent_subject_id: agent.id, grant_type: 'tool_scope', details: { scope: 'files.write' } },
        ...exact,
      });
      const path = `${base}/grants/${bound.id}`;
      const shown = { exact_call: true, may_revoke: false };
      expect(await owner.ok('GET', path)).toMatchObject({
        grant: { ...shown, bound_to: { call_digest: null } },
      });
      expect(await owner.send('DELETE', path)).toMatchObject({ status: 403 });
      expect(await member.ok('GET', path)).toMatchObject({
        grant: { exact_call: true, may_revoke: true, bound_to: { call_digest: seen.digest } },
      });
    });

    it('is not opened to them by what its agent shares', async () => {
      const request_id = await ask();
      const shares = await api.asSidecar(session.id, 'POST', 'events', {
        id: randomUUID(),
        type: 'agent.shared',
        payload: {
          share_id: randomUUID(),
          title: 'For all',
          audience: 'workspace',
          artifact_id: null,
          text: 'Read this',
          expires_at: null,
        },
      });
      expect(shares).toMatchObject({ status: 200 });
      expect(await read(request_id, owner)).toMatchObject({ may_decide: false, justification: null });
    });

    it('is decided by them once they may read it', async () => {
      const request_id = await ask();
      await api.db('sessions').where({ id: session.id }).update({ shared_with_workspace: true });
      expect(await read(request_id, owner)).toMatchObject({ may_decide: true, justification: 'Please' });
      expect(await grant({ request_id })).toMatchObject({ status: 201 });
    });
  });

  it('is reserved for admins if the catalog says so', async () => {
    await admin.ok('POST', `${base}/mcp-servers`, {
      name: 'files',
      shape: { type: 'command', command: 'x' },
      manifest: { tool_scopes: { write_file: 'files.write' } },
      approvers: 'admin',
    });
    const [kept, free] = [await ask(), await ask({ details: { scope: 'files.remove' } })];
    expect(await read(kept)).toMatchObject({ may_decide: false, may_grant: { agent: [], operator: [] } });
    expect(await read(free)).toMatchObject({ may_decide: true });
    expect(await read(kept, admin)).toMatchObject({ may_decide: true });
    expect(await count(member)).toEqual({ open: 2, may_decide: 1 });
    expect(await count(admin)).toEqual({ open: 2, may_decide: 2 });
  });
});

it.each([
  ['two people', () => [member, admin] as const],
  ['one person in two windows', () => [member, member] as const],
])('a request that %s deny at once is denied once; the other is told', async (_who, deciders) => {
  const request_id = await ask();
  const answers = await Promise.all(
    deciders().map((person, index) =>
      person.send('POST', `${base}/permission-requests/${request_id}/deny`, { reason: `Reason ${index}` }),
    ),
  );
  const counted = answers.findIndex(({ status }) => status === 200);
  expect(answers[1 - counted]).toMatchObject({ status: 409, body: { error: { code: 'already_decided' } } });
  expect(await read(request_id)).toMatchObject({
    ...{ status: 'denied', reason: `Reason ${counted}` },
    decider: { id: deciders()[counted]?.user.id },
  });
});

describe('a muted session', () => {
  const one = () => `/api/sessions/${session.id}`;
  const report = () =>
    api.asSidecar(session.id, 'POST', 'permission-requests', {
      request_id: randomUUID(),
      grant_type: 'tool_scope',
      details: { scope: 'files.remove' },
      scope: 'once',
      justification: '',
      refused_call: null,
    });
  const notices = async () =>
    (
      await member.ok<{ events: { type: string; payload: { code?: string }; actor: object }[] }>(
        'GET',
        `${one()}/events`,
      )
    ).events
      .filter(({ type }) => type === 'platform.notice')
      .map(({ payload, actor }) => [payload.code, actor]);
  const by = () => ({ type: 'user', id: member.user.id });

  it('is muted by a denial, shows that, refuses every further request, and is unmuted by its operator', async () => {
    const request_id = await ask();
    expect(await read(request_id)).toMatchObject({ may_mute: true });
    await member.ok('POST', `${base}/permission-requests/${request_id}/deny`, { reason: 'No', mute: true });
    expect(await member.ok('GET', one())).toMatchObject({
      session: { permission_requests_muted: true, may_mute: true },
    });
    expect(await notices()).toEqual([['permission_requests_muted', by()]]);
    expect(await report()).toMatchObject({ status: 200, body: { status: 'refused', code: 'muted' } });
    const unmute = { permission_requests_muted: false };
    expect(await member.ok('PATCH', one(), unmute)).toMatchObject({ session: unmute });
    await member.ok('PATCH', one(), unmute);
    expect(await notices()).toEqual([
      ['permission_requests_muted', by()],
      ['permission_requests_unmuted', by()],
    ]);
    expect(await report()).toMatchObject({ body: { status: 'sent' } });
    const events = await admin.ok<{ audit_events: { event: string }[] }>(
      'GET',
      `${base}/audit-events?resource=${session.id}`,
    );
    expect(events.audit_events.map(({ event }) => event)).toEqual([
      'session.unmuted',
      'session.muted',
      'session.created',
    ]);
  });

  it('is not muted by a denial that came too late', async () => {
    const request_id = await ask();
    await member.ok('POST', `${base}/permission-requests/${request_id}/deny`, {});
    expect(
      await member.send('POST', `${base}/permission-requests/${request_id}/deny`, { mute: true }),
    ).toMatchObject({ status: 409 });
    expect(await member.ok('GET', one())).toMatchObject({ session: { permission_requests_muted: false } });
  });

  it('refuses the requests of the sessions below it', async () => {
    await admin.ok('PATCH', one(), { permission_requests_muted: true });
    const below = await api.runningSession(member, base);
    await api.db('sessions').where({ id: below.session.id }).update({ parent_session_id: session.id });
    expect(
      await api.asSidecar(below.session.id, 'POST', 'permission-requests', {
        request_id: randomUUID(),
        grant_type: 'tool_scope',
        details: { scope: 'files.remove' },
        scope: 'once',
        justification: '',
        refused_call: null,
      }),
    ).toMatchObject({ body: { status: 'refused', code: 'muted' } });
  });

  it('is muted by its operator and admins, not by the owner of its agent', async () => {
    const driver = await newcomer();
    const { session: driven } = await driver.ok<{ session: Session }>('POST', `${base}/sessions`, {
      agent_id: agent.id,
      prompt: 'Do it',
    });
    session = driven;
    await eventually(async () => expect((await api.runtime.inspect(driven.id)).state).toBe('running'));
    const request_id = await ask();
    expect(await read(request_id)).toMatchObject({ may_decide: false, may_mute: false });
    const deny = `${base}/permission-requests/${request_id}/deny`;
    expect(await member.send('POST', deny, { mute: true })).toMatchObject({ status: 403 });
    const mute = { permission_requests_muted: true };
    expect(await member.send('PATCH', one(), mute)).toMatchObject({ status: 403 });
    expect(await driver.send('PATCH', one(), {})).toMatchObject({ status: 422 });
    expect(await driver.send('PATCH', one(), mute)).toMatchObject({ status: 200 });
    const other = await api.workspace();
    expect(await other.admin.send('PATCH', one(), mute)).toMatchObject({ status: 404 });
    await driver.ok('POST', `${one()}/terminate`, {});
    await eventually(async () => {
      expect(await driver.send('PATCH', one(), mute)).toMatchObject({ status: 409 });
    });
  });
});

describe('the count of permission requests', () => {
  it('includes open ones that the caller may see', async () => {
    expect(await count(member)).toEqual({ open: 0, may_decide: 0 });
    const request_id = await ask();
    await ask({ details: { scope: 'files.remove' } });
    await member.ok('POST', `${base}/permission-requests/${request_id}/deny`, {});
    expect(await count(member)).toEqual({ open: 1, may_decide: 1 });
    const reader = await newcomer();
    expect(await count(reader)).toEqual({ open: 0, may_decide: 0 });
    await api.db('sessions').where({ id: session.id }).update({ shared_with_workspace: true });
    expect(await count(reader)).toEqual({ open: 1, may_decide: 0 });
  });

  it('includes all of them, however long their justifications are', async () => {
    await api.db.raw(
      `insert into permission_requests (id, workspace_id, session_id, agent_id, grant_type, details, scope, justification, expires_at)
       select gen_random_uuid(), workspace_id, id, agent_id, 'tool_scope', jsonb_build_object('scope', 'files.' || chr(96 + n)), 'once',
         repeat('x', 200000), now() + interval '1 hour' from sessions, generate_series(1, 12) as n where id = ?`,
      [session.id],
    );
    expect(await count(member)).toEqual({ open: 12, may_decide: 12 });
  });

  it('is not shown to members of other workspaces', async () => {
    const other = await api.workspace();
    expect(await other.admin.send('GET', `${base}/permission-requests/count`)).toMatchObject({ status: 404 });
  });
});
