import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, it } from '@jest/globals';
import type { Agent } from '../../../contract/agent.ts';
import type { Grant } from '../../../contract/grant.ts';
import type { Session } from '../../../contract/session.ts';
import type { Workspace } from '../../../contract/workspace.ts';
import type { Person } from '../../support/api.ts';
import { askPermission } from '../../support/ask-permission.ts';
import { frozenFor, replaceConfiguration } from '../../support/granted.ts';
import { useSessionApi } from '../../support/use-session-api.ts';

const api = useSessionApi();
let workspace: Workspace;
let admin: Person;
let member: Person;
let base: string;
let session: Session;
let agent: Agent;

beforeEach(async () => {
  ({ workspace, admin, member, base } = await api.workspace());
  ({ session, agent } = await api.runningSession(member, base));
});

const details = { scope: 'files.write' };
const grantBody = (content: Record<string, unknown> = {}) => ({
  agent_subject_id: agent.id,
  grant_type: 'tool_scope',
  details,
  scope: 'once',
  ...content,
});
const post = (content: Record<string, unknown> = {}, person = member) =>
  person.send('POST', `${base}/grants`, grantBody(content));
const granted = async (content: Record<string, unknown> = {}, person = member) =>
  (await person.ok<{ grant: Grant }>('POST', `${base}/grants`, grantBody(content))).grant;
const ask = (content: Record<string, unknown> = {}, of = session) =>
  askPermission(api, of.id, { scope: 'once', ...content });
const requestState = async (id: string) =>
  (await member.ok<{ permission_request: object }>('GET', `${base}/permission-requests/${id}`))
    .permission_request;

describe('a human’s grant', () => {
  it('that answers a request is written, closes it and reaches the agent', async () => {
    const request_id = await ask({ refused_call: { server: 'files', tool: 'write_file' } });
    const grant = await granted({ request_id, reason: 'Fine' });
    expect(grant).toMatchObject({
      agent_subject_id: agent.id,
      granted_by_user_id: member.user.id,
      request_id,
      reason: 'Fine',
      bound_to: { session_id: session.id, server: 'files', tool: 'write_file' },
      consumed_at: null,
      revoked_at: null,
    });
    expect(await requestState(request_id)).toMatchObject({
      status: 'approved',
      grant_id: grant.id,
      decided_by: member.user.id,
    });
    const state = await api.asSidecar(session.id, 'GET', `permission-requests/${request_id}`);
    expect(state.body).toEqual({ request_id, status: 'approved', grant_id: grant.id, reason: 'Fine' });
    const ready = await api.asSidecar(session.id, 'POST', 'ready', { control_url: 'http://127.0.0.1:1' });
    expect(ready.body).toMatchObject({
      inputs: [{ kind: 'permission_decision', decision: { status: 'approved', grant_id: grant.id } }],
    });
  });

  it('passes the waiting call, once', async () => {
    await replaceConfiguration(api.db, frozenFor(session, agent));
    const check = async (server: string, tool: string, call_id = randomUUID()) =>
      (await api.asSidecar(session.id, 'POST', 'tool-calls/check', { call_id, server, tool })).body;
    const refused = { decision: 'refused', code: 'permission_required', scope: 'files.write' };
    expect(await check('files', 'write_file')).toEqual(refused);
    expect(await check('files', 'read_file')).toEqual({ decision: 'allowed', granted_via: null });
    expect(await check('platform', 'end_session')).toEqual({ decision: 'allowed', granted_via: null });
    expect(await check('nowhere', 'x')).toMatchObject({ decision: 'refused', code: 'server_unavailable' });
    const grant = await granted();
    const call_id = randomUUID();
    expect(await check('files', 'write_file', call_id)).toEqual({
      decision: 'allowed',
      granted_via: grant.id,
    });
    expect(await check('files', 'write_file')).toEqual(refused);
    const call = { call_id, server: 'files', tool: 'write_file', duration_ms: 3, outcome: 'ok' };
    const report = { calls: [{ ...call, started_at: new Date().toISOString() }] };
    expect(await api.asSidecar(session.id, 'POST', 'tool-calls', report)).toMatchObject({ status: 200 });
    const { audit_events } = await admin.ok<{ audit_events: { data: unknown }[] }>(
      'GET',
      `${base}/audit-events?event=session.mcp.tool_called`,
    );
    expect(audit_events).toMatchObject([{ data: { tool: 'write_file', granted_via: grant.id } }]);
    const ungated = { ...call, call_id: randomUUID(), tool: 'read_file' };
    const next = { calls: [{ ...ungated, started_at: new Date().toISOString() }] };
    expect(await api.asSidecar(session.id, 'POST', 'tool-calls', next)).toMatchObject({ status: 200 });
    const calls = `/api/sessions/${session.id}/tool-calls`;
    const page = await member.ok<{ next_cursor: string }>('GET', `${calls}?limit=1`);
    expect(page).toMatchObject({ tool_calls: [{ tool: 'read_file', granted_via: null }] });
    expect(await member.ok('GET', `${calls}?limit=1&cursor=${page.next_cursor}`)).toMatchObject({
      tool_calls: [
        { id: call_id, server: 'files', tool: 'write_file', granted_via: grant.id, outcome: 'ok' },
      ],
      next_cursor: null,
    });
    const stranger = await api.person('Nina Newcomer');
    expect(await stranger.send('GET', calls)).toMatchObject({ status: 404 });
    await api.join(workspace, stranger, 'member');
    expect(await stranger.send('GET', calls)).toMatchObject({ status: 403 });
  });

  it('also closes an identical open request without naming it', async () => {
    const request_id = await ask({ scope: 'session' });
    const free = await granted({ scope: 'once' });
    expect(free).toMatchObject({ request_id: null, bound_to: null });
    expect(await granted({ scope: 'session', session_id: session.id })).toMatchObject({ request_id });
    expect(await requestState(request_id)).toMatchObject({ status: 'approved' });
  });

  it('may be narrower than requested', async () => {
    const request_id = await ask({ scope: 'session' });
    expect(await granted({ request_id, scope: 'once' })).toMatchObject({
      scope: 'once',
      bound_to: { session_id: session.id },
    });
  });

  it('decides a request only once, also when two humans decide concurrently', async () => {
    const request_id = await ask();
    const answers = await Promise.all([
      post({ request_id }),
      post({ request_id }, admin),
      admin.send('POST', `${base}/permission-requests/${request_id}/deny`, {}),
    ]);
    expect(answers.map(({ status }) => status).filter((status) => status < 300)).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 409)).toHaveLength(2);
    expect(await post({ request_id })).toMatchObject({
      status: 409,
      body: { error: { code: 'already_decided' } },
    });
    const grants = await api.db('grants').where({ workspace_id: workspace.id });
    expect(grants.length).toBeLessThanOrEqual(1);
  });

  it('is listed, revoked, and then listed only on request', async () => {
    const grant = await granted();
    const list = (query: string) => member.ok('GET', `${base}/grants${query}`);
    expect(await list(`?agent_subject_id=${agent.id}`)).toEqual({ grants: [grant], next_cursor: null });
    expect(await list(`?user_subject_id=${member.user.id}`)).toMatchObject({ grants: [] });
    expect(await list('?grant_type=spawn')).toMatchObject({ grants: [] });
    for (const _ of ['once', 'again']) {
      expect(await member.ok('DELETE', `${base}/grants/${grant.id}`)).toEqual({ ok: true });
    }
    expect(await list('')).toMatchObject({ grants: [] });
    expect(await list('?include_revoked=true')).toMatchObject({
      grants: [{ id: grant.id, revoked_at: expect.any(String) }],
    });
  });
});

describe('POST /grants refuses', () => {
  const invalid: [string, () => Record<string, unknown>, string][] = [
    ['both subjects', () => ({ user_subject_id: member.user.id }), 'user_subject_id'],
    ['no subject', () => ({ agent_subject_id: undefined }), 'user_subject_id'],
    ['an unknown type', () => ({ grant_type: 'root' }), 'grant_type'],
    ['an unknown field', () => ({ granted_by_user_id: admin.user.id }), 'granted_by_user_id'],
    ['a role of its maker', () => ({ granted_by_role: 'admin' }), 'granted_by_role'],
    ['unknown details', () => ({ details: { ...details, more: 1 } }), 'details.more'],
    ['missing details', () => ({ details: {} }), 'details.scope'],
    ['a scope that is none', () => ({ details: { scope: 'files' } }), 'details.scope'],
    ['a session grant without a session', () => ({ scope: 'session' }), 'session_id'],
    ['a once grant with a session', () => ({ session_id: session.id }), 'session_id'],
    ['an agent that is not there', () => ({ agent_subject_id: randomUUID() }), 'agent_subject_id'],
    ['a session that is not there', () => ({ scope: 'session', session_id: randomUUID() }), 'session_id'],
    ['a request that is not there', () => ({ request_id: randomUUID() }), 'request_id'],
    [
      'to spawn an agent that is not there',
      () => ({ grant_type: 'spawn', details: { child_agent_id: randomUUID() } }),
      'details.child_agent_id',
    ],
    [
      'a secret that is not there',
      () => ({ grant_type: 'agent_env', details: { secret_name: 'NOTHING' } }),
      'details.secret_name',
    ],
  ];
  it.each(invalid)('%s', async (_what, content, path) => {
    const answer = await post(content(), admin);
    expect(answer).toMatchObject({ status: 422, body: { error: { code: 'validation_failed' } } });
    expect((answer.body as { error: { fields: object[] } }).error.fields).toContainEqual(
      expect.objectContaining({ path }),
    );
    expect(await api.db('grants').where({ workspace_id: workspace.id })).toEqual([]);
    expect(await api.db('decisions').where({ workspace_id: workspace.id })).toEqual([]);
  });

  it('more than was requested, or something else', async () => {
    const request_id = await ask();
    expect(await post({ request_id, scope: 'persistent' }, admin)).toMatchObject({
      body: { error: { fields: [{ path: 'scope' }] } },
    });
    expect(await post({ request_id, details: { scope: 'files.remove' } }, admin)).toMatchObject({
      body: { error: { fields: [{ path: 'details' }] } },
    });
    expect(await requestState(request_id)).toMatchObject({ status: 'open' });
  });

  it('resources of another workspace, as not found', async () => {
    const other = await api.workspace();
    const theirs = await api.runningSession(other.member, other.base);
    expect(await post({ agent_subject_id: theirs.agent.id }, admin)).toMatchObject({ status: 422 });
    expect(
      await post({ agent_subject_id: undefined, user_subject_id: other.member.user.id }, admin),
    ).toMatchObject({
      status: 422,
    });
    expect(await other.admin.send('POST', `${base}/grants`, grantBody())).toMatchObject({ status: 404 });
    const grant = await granted();
    expect(await other.admin.send('DELETE', `${other.base}/grants/${grant.id}`)).toMatchObject({
      status: 404,
    });
    const request_id = await ask({ details: { scope: 'files.remove' } });
    expect(await other.admin.send('GET', `${other.base}/permission-requests/${request_id}`)).toMatchObject({
      status: 404,
    });
  });

  it('a sidecar’s token, on either route, and writes nothing', async () => {
    const headers = { 'x-internal-token': api.token(session.id) };
    expect(await api.anonymous.send('POST', `${base}/grants`, grantBody(), headers)).toMatchObject({
      status: 401,
    });
    expect(
      await api.anonymous.send('POST', `/internal/sessions/${session.id}/grants`, grantBody(), headers),
    ).toMatchObject({ status: 404 });
    expect(await api.db('grants').where({ workspace_id: workspace.id })).toEqual([]);
  });

  it('callers whom the policy rejects', async () => {
    const outsider = await api.person('Olga Outsider');
    await api.join(workspace, outsider, 'member');
    expect(await post({}, outsider)).toMatchObject({ status: 403 });
    expect(await post({ scope: 'persistent' })).toMatchObject({ status: 403 });
    expect(await post({ agent_subject_id: undefined, user_subject_id: admin.user.id })).toMatchObject({
      status: 403,
    });
    const grant = await granted({}, admin);
    expect(await outsider.send('DELETE', `${base}/grants/${grant.id}`)).toMatchObject({ status: 403 });
    const request_id = await ask({ details: { scope: 'files.remove' } });
    expect(await outsider.send('POST', `${base}/permission-requests/${request_id}/deny`, {})).toMatchObject({
      status: 404,
    });
  });

  it('members, for a scope that the catalog restricts to admins', async () => {
    await admin.ok('POST', `${base}/mcp-servers`, {
      name: 'files',
      shape: { type: 'command', command: 'x' },
      manifest: { tool_scopes: { write_file: 'files.write' } },
      approvers: 'admin',
    });
    const request_id = await ask();
    expect(await post({ request_id })).toMatchObject({ status: 403 });
    expect(await post({ request_id }, admin)).toMatchObject({ status: 201 });
  });

  it('anybody, where a passkey is asked for at an address without any', async () => {
    await admin.ok('PATCH', base, { settings: { require_passkey: true } });
    const error = { code: 'passkey_required', message: expect.stringContaining('IP address') };
    expect(await post({}, admin)).toMatchObject({ status: 403, body: { error } });
  });

  it('members, for a scope that the catalog renamed while a session still gates on it', async () => {
    const entry = {
      name: 'files',
      shape: { type: 'command', command: 'x' },
      manifest: { tool_scopes: { write_file: 'files.renamed' } },
      approvers: 'admin',
    };
    const { mcp_server } = await admin.ok<{ mcp_server: { id: string } }>(
      'POST',
      `${base}/mcp-servers`,
      entry,
    );
    const request_id = await ask();
    const frozen = frozenFor(session, agent);
    const servers = frozen.servers.map((server) => ({ ...server, entry_id: mcp_server.id }));
    await replaceConfiguration(api.db, { ...frozen, servers });
    expect(await post({ request_id })).toMatchObject({ status: 403 });
    expect(await post({ request_id }, admin)).toMatchObject({ status: 201 });
  });
});

describe('a denial', () => {
  it('creates no grant, reaches the agent with its reason, and mutes the same request', async () => {
    const request_id = await ask();
    const path = `${base}/permission-requests/${request_id}/deny`;
    expect(await member.ok('POST', path, { reason: 'Not today' })).toMatchObject({
      permission_request: {
        status: 'denied',
        reason: 'Not today',
        grant_id: null,
        decided_by: member.user.id,
      },
    });
    expect(await member.send('POST', path, {})).toMatchObject({ status: 409 });
    expect(await api.db('grants').where({ workspace_id: workspace.id })).toEqual([]);
    const again = await api.asSidecar(session.id, 'POST', 'permission-requests', {
      request_id: randomUUID(),
      grant_type: 'tool_scope',
      details,
      scope: 'once',
      justification: '',
      refused_call: null,
    });
    expect(again.body).toMatchObject({ status: 'refused', code: 'recently_denied' });
  });

  it('is listed for those who may read the session, by status', async () => {
    const request_id = await ask();
    const list = async (person: Person, query: string) =>
      (
        await person.ok<{ permission_requests: { id: string }[] }>(
          'GET',
          `${base}/permission-requests${query}`,
        )
      ).permission_requests.map(({ id }) => id);
    expect(await list(member, '?status=open')).toEqual([request_id]);
    expect(await list(admin, `?session_id=${session.id}`)).toEqual([request_id]);
    expect(await list(member, '?status=denied')).toEqual([]);
    const outsider = await api.person('Olga Outsider');
    await api.join(workspace, outsider, 'member');
    expect(await list(outsider, '')).toEqual([]);
  });
});

describe('a lost workflow', () => {
  it('does not block a decision', async () => {
    const request_id = await ask();
    const { Client, Connection } = await import('@temporalio/client');
    const { temporalAddress } = await import('../../support/temporal.ts');
    const connection = await Connection.connect({ address: temporalAddress() });
    await new Client({ connection }).workflow.getHandle(`permission-request/${request_id}`).terminate();
    await connection.close();
    expect(await post({ request_id })).toMatchObject({ status: 201 });
    expect(await requestState(request_id)).toMatchObject({ status: 'approved' });
  });
});

it('a member’s grant for an agent warns where people sign in to a server whose tools it opens', async () => {
  const entry = (name: string, scope: string) =>
    admin.ok('POST', `${base}/mcp-servers`, {
      name,
      shape: { type: 'command', command: 'x' },
      manifest: { tool_scopes: { read: scope } },
    });
  await entry('files', 'files.write');
  await entry('far', 'far.read');
  const remote = JSON.stringify({ type: 'remote', url: 'https://far.test/mcp' });
  await api.db('mcp_servers').where({ workspace_id: workspace.id, name: 'far' }).update({ shape: remote });
  const far = { details: { scope: 'far.read' } };
  const ofMember = await granted(far);
  expect(ofMember).toMatchObject({
    warnings: [
      {
        path: 'granted_by_role',
        code: 'own_sign_in',
        message: expect.stringContaining('only in sessions that this member drives'),
      },
    ],
  });
  const own = await granted({ ...far, agent_subject_id: undefined, user_subject_id: member.user.id });
  const local = await granted();
  const ofAdmin = await granted(far, admin);
  const { grants } = await admin.ok<{ grants: { id: string; warnings: { code: string }[] }[] }>(
    'GET',
    `${base}/grants`,
  );
  expect(grants.map(({ id, warnings }) => [id, warnings.map(({ code }) => code)])).toEqual([
    [ofAdmin.id, []],
    [local.id, []],
    [own.id, []],
    [ofMember.id, ['own_sign_in']],
  ]);
});
