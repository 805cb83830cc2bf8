import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Agent } from '../../../contract/agent.ts';
import type { Session } from '../../../contract/session.ts';
import type { Workspace } from '../../../contract/workspace.ts';
import { readAgent } from '../../../store/agents/agents.ts';
import { forgetWorker, reportWorker } from '../../../store/workers/workers.ts';
import type { Person } from '../../support/api.ts';
import { frozenFor, giveGrant, replaceConfiguration } from '../../support/granted.ts';
import { chatEndpoint } from '../../support/model-endpoints.ts';
import { type SessionApi, startSessionApi } from '../../support/session-api.ts';

let api: SessionApi;
let admin: Person;
let member: Person;
let base: string;
let workspace: Workspace;

beforeAll(async () => {
  const listed = [chatEndpoint, { ...chatEndpoint, name: 'of-others', workspaces: ['others'] }];
  api = await startSessionApi({ MODEL_ENDPOINTS: JSON.stringify(listed) });
});
afterAll(() => api.stop());
beforeEach(async () => {
  ({ admin, member, base, workspace } = await api.workspace());
  await admin.ok('PUT', `${base}/secrets/MODEL_KEY`, { value: 'never to be shown' });
});

const scripted = { type: 'builtin', name: 'scripted' };
const create = (body: object) =>
  member.send('POST', `${base}/agents`, { name: randomUUID(), run: scripted, ...body });
const access = { api_key: '${MODEL_KEY}' };
const stored = {
  endpoint: 'default',
  ...access,
  models: [] as string[],
  requests_per_session: 1000,
  tokens_per_session: 5_000_000,
};

describe("an agent's model access", () => {
  it('is saved with its defaults, changed and removed', async () => {
    const created = await create({ model_access: access });
    expect(created).toMatchObject({ status: 201, body: { agent: { model_access: stored } } });
    const { agent } = created.body as { agent: Agent };
    const path = `/api/agents/${agent.id}`;
    const smaller = { ...stored, models: ['a-model'], requests_per_session: 5 };
    expect(await member.ok('PATCH', path, { model_access: smaller })).toMatchObject({
      agent: { model_access: smaller },
    });
    expect(await member.ok('PATCH', path, { name: 'other' })).toMatchObject({
      agent: { model_access: smaller },
    });
    expect(await member.ok('PATCH', path, { model_access: null })).toMatchObject({
      agent: { model_access: null },
    });
    expect((await readAgent(api.db, agent.id))?.model_access).toBeNull();
  });

  it.each([
    ['a key as plain text', { api_key: 'sk-plain' }, 'model_access.api_key'],
    ['a key with text around it', { api_key: 'x${MODEL_KEY}' }, 'model_access.api_key'],
    ['a secret that is not set', { api_key: '${NEVER_SET}' }, 'model_access.api_key'],
    ['no key', {}, 'model_access.api_key'],
    ['a model that is no name', { ...access, models: ['a b'] }, 'model_access.models.0'],
    ['no requests', { ...access, requests_per_session: 0 }, 'model_access.requests_per_session'],
    ['half a token', { ...access, tokens_per_session: 1.5 }, 'model_access.tokens_per_session'],
    ['an address of its own', { ...access, base_url: 'https://evil.test' }, 'model_access.base_url'],
  ])('is refused with %s', async (_what, given, path) => {
    expect(await create({ model_access: given })).toMatchObject({
      status: 422,
      body: { error: { fields: [{ path }] } },
    });
  });

  it('names an endpoint that the workspace has, whose dialect the agent speaks', async () => {
    expect(await member.ok('GET', `${base}/model-endpoints`)).toEqual({
      model_endpoints: [
        { name: 'default', dialect: 'messages' },
        { name: 'chat', dialect: 'chat_completions' },
      ],
    });
    const at = (endpoint: string) => ({ ...stored, endpoint });
    const created = await create({ model_access: at('chat') });
    expect(created).toMatchObject({ status: 201, body: { agent: { model_access: at('chat') } } });
    const { agent } = created.body as { agent: Agent };
    const change = (patch: object) => member.send('PATCH', `/api/agents/${agent.id}`, patch);
    const refused = (code: string) => ({
      status: 422,
      body: { error: { fields: [{ path: 'model_access.endpoint', code }] } },
    });
    for (const endpoint of ['of-others', 'nothing']) {
      expect(await create({ model_access: at(endpoint) })).toMatchObject(refused('unknown_reference'));
      expect(await change({ model_access: at(endpoint) })).toMatchObject(refused('unknown_reference'));
    }
    const claude = { type: 'builtin', name: 'claude' };
    expect(await change({ run: claude })).toMatchObject(refused('invalid_reference'));
    // It has no choice of models of its own there.
    const opencode = { type: 'builtin', name: 'acp', preset: 'opencode' };
    expect(await change({ run: opencode })).toMatchObject(refused('invalid_reference'));
  });

  it('keeps an agent from starting where nothing would keep the key from other programs', async () => {
    const id = randomUUID();
    const capabilities = { runtime: 'process' as const, sandbox: false, internet: true };
    await reportWorker(api.db, {
      id,
      capabilities: { ...capabilities, commands: [], missing_commands: [], claude: false, limits: [] },
    });
    const { agent } = (await create({ model_access: access })).body as { agent: Agent };
    expect(agent).toMatchObject({ unavailable: { reason: expect.stringContaining('language model') } });
    expect(await member.send('POST', `${base}/sessions`, { agent_id: agent.id, prompt: '' })).toMatchObject({
      status: 422,
      body: { error: { fields: [{ path: 'agent_id', code: 'not_available' }] } },
    });
    await forgetWorker(api.db, id);
    expect(await member.ok('GET', `/api/agents/${agent.id}`)).toMatchObject({ agent: { unavailable: null } });
  });

  it('is granted by an admin alone, to an agent, for a secret and an endpoint that there are', async () => {
    const { agent } = (await create({ model_access: access })).body as { agent: Agent };
    const grant = {
      agent_subject_id: agent.id,
      grant_type: 'model_key',
      details: { secret_name: 'MODEL_KEY', endpoint: 'default' },
      scope: 'persistent',
    };
    const give = (person: Person, change: object = {}) =>
      person.send('POST', `${base}/grants`, { ...grant, ...change });
    expect(await give(member)).toMatchObject({ status: 403 });
    expect(await give(admin, { details: { secret_name: 'NOTHING', endpoint: 'default' } })).toMatchObject({
      status: 422,
      body: { error: { fields: [{ path: 'details.secret_name', code: 'unknown_reference' }] } },
    });
    for (const endpoint of ['of-others', 'nothing']) {
      expect(await give(admin, { details: { secret_name: 'MODEL_KEY', endpoint } })).toMatchObject({
        status: 422,
        body: { error: { fields: [{ path: 'details.endpoint', code: 'unknown_reference' }] } },
      });
    }
    const toUser = { agent_subject_id: null, user_subject_id: member.user.id };
    expect(await give(admin, toUser)).toMatchObject({ status: 422 });
    expect(await give(admin)).toMatchObject({ status: 201 });
    expect(await member.ok('GET', `/api/agents/${agent.id}/authority`)).toMatchObject({
      authority: {
        grants: [{ grant_type: 'model_key', details: { secret_name: 'MODEL_KEY', endpoint: 'default' } }],
        secrets: [],
      },
    });
    // Who could not give it does not raise what it is good for.
    const raised = { ...stored, tokens_per_session: 2 * stored.tokens_per_session };
    await member.ok('PATCH', `/api/agents/${agent.id}`, { model_access: raised });
    expect(await member.ok('GET', `/api/agents/${agent.id}/authority`)).toMatchObject({
      authority: { grants: [] },
    });
  });
});

describe("a session's requests to its model", () => {
  let session: Session;
  let agent: Agent;
  beforeEach(async () => {
    ({ session, agent } = await api.runningSession(member, base));
    const frozen = frozenFor(session, agent);
    const key = { kind: 'secret', secret_name: 'MODEL_KEY', secret_version: 1 } as const;
    const dialect = 'messages' as const;
    const model_access = { ...stored, dialect, api_key: key, requests_per_session: 2 };
    await replaceConfiguration(api.db, { ...frozen, agent: { ...frozen.agent, model_access } });
    const details = { secret_name: 'MODEL_KEY', endpoint: 'default' };
    await giveGrant(api.db, session, { grant_type: 'model_key', details, scope: 'persistent' });
  });

  const ask = (id: string, body: unknown = { max_tokens: 100 }) =>
    api.asSidecar(session.id, 'PUT', `model-requests/${id}`, body);
  const took = {
    input_tokens: 7,
    cache_creation_input_tokens: 1,
    cache_read_input_tokens: 2,
    output_tokens: 3,
    outcome: 'completed',
  };
  const report = (id: string, body: unknown = took) =>
    api.asSidecar(session.id, 'PUT', `model-requests/${id}/usage`, body);
  const usage = () => `/api/sessions/${session.id}/model-usage`;

  it('are allowed, counted and shown to whoever reads the session', async () => {
    const id = randomUUID();
    expect(await ask(id)).toMatchObject({ status: 200, body: { decision: 'allowed' } });
    expect(await member.ok('GET', usage())).toMatchObject({
      model_usage: { requests: 1, reserved_tokens: 100, counted_tokens: 100, reached: null },
    });
    expect(await report(id)).toMatchObject({ status: 204 });
    expect(await report(id, { ...took, output_tokens: 999 })).toMatchObject({ status: 204 });
    expect(await admin.ok('GET', usage())).toMatchObject({
      model_usage: {
        requests: 1,
        output_tokens: 3,
        reserved_tokens: 0,
        counted_tokens: 13,
        requests_limit: 2,
      },
    });
    const { member: stranger } = await api.workspace();
    expect(await stranger.send('GET', usage())).toMatchObject({ status: 404 });
    // In the list, and by day, agent and endpoint.
    expect(await member.ok('GET', `${base}/sessions`)).toMatchObject({
      sessions: [{ id: session.id, model_tokens: 13 }],
    });
    const byDay = (by: typeof member, query = '') =>
      by.ok<{ model_usage: Record<string, unknown>[] }>(
        'GET',
        `${base}/model-usage?agent_id=${agent.id}${query}`,
      );
    const day = expect.stringMatching(/^\d{4}-\d{2}-\d{2}$/);
    const { outcome: _, ...tokens } = took;
    const row = {
      ...{ day, agent: { id: agent.id, name: agent.name }, endpoint: 'default', sessions: 1 },
      ...{ requests: 1, failed_requests: 0, ...tokens, used_tokens: 13 },
    };
    expect(await byDay(member)).toEqual({ model_usage: [row] });
    const second = randomUUID();
    await ask(second);
    await report(second, { ...took, outcome: 'failed' });
    const twice = { requests: 2, failed_requests: 1, output_tokens: 6, used_tokens: 26 };
    const { model_usage: found } = await byDay(admin, '&days=2');
    // Two rows where midnight came between the reports.
    const sum = (name: string) => found.reduce((all, each) => all + Number(each[name]), 0);
    expect(Object.fromEntries(Object.keys(twice).map((name) => [name, sum(name)]))).toEqual(twice);
    await api
      .db('model_usage_days')
      .where({ session_id: session.id })
      .update({ day: api.db.raw(`(now() at time zone 'utc')::date - 1`) });
    expect(await byDay(admin, '&days=1')).toEqual({ model_usage: [] });
    // Who may not read the session does not learn of it.
    const other = await api.person();
    await api.join(workspace, other, 'member');
    expect(await byDay(other)).toEqual({ model_usage: [] });
    expect(await api.anonymous.send('GET', usage())).toMatchObject({ status: 401 });
  });

  it('are refused beyond the limit, which the transcript and the audit trail say', async () => {
    await ask(randomUUID());
    await ask(randomUUID());
    expect(await ask(randomUUID())).toMatchObject({
      status: 200,
      body: { decision: 'refused', code: 'model_budget_reached' },
    });
    expect(await member.ok('GET', usage())).toMatchObject({ model_usage: { reached: 'requests' } });
    const { audit_events: events } = await admin.ok<{ audit_events: object[] }>(
      'GET',
      `${base}/audit-events?event=model.budget_reached`,
    );
    expect(events).toMatchObject([
      { session_id: session.id, data: { limit: 'requests', requests_limit: 2 } },
    ]);
  });

  it('are refused with a sentence once the session has ended', async () => {
    await member.ok('POST', `/api/sessions/${session.id}/terminate`, {});
    expect(await ask(randomUUID())).toMatchObject({
      status: 200,
      body: { decision: 'refused', code: 'model_access_ended' },
    });
  });

  it('need the token of this session, an id that is random, and numbers', async () => {
    const id = randomUUID();
    const other = { 'x-internal-token': api.token(randomUUID()) };
    const body = { max_tokens: 1 };
    const path = `/internal/sessions/${session.id}/model-requests/${id}`;
    expect(await api.anonymous.send('PUT', path, body, other)).toMatchObject({ status: 401 });
    expect((await ask('not-an-id')).status).toBeGreaterThanOrEqual(400);
    for (const wrong of [{}, { max_tokens: -1 }, { max_tokens: 0.5 }, { max_tokens: 1, model: 'x' }]) {
      expect(await ask(id, wrong)).toMatchObject({ status: 422 });
    }
    expect(await report(id)).toMatchObject({ status: 404 });
    await ask(id);
    expect(await report(id, { ...took, output_tokens: -1 })).toMatchObject({ status: 422 });
    expect(await report(id, { ...took, prompt: 'x' })).toMatchObject({ status: 422 });
  });

  it('show the key as a reference', async () => {
    const { configuration } = await member.ok<{ configuration: { agent: object } }>(
      'GET',
      `/api/sessions/${session.id}/configuration`,
    );
    expect(configuration.agent).toMatchObject({ model_access: { api_key: { reference: '${MODEL_KEY}' } } });
    expect(JSON.stringify(configuration)).not.toContain('never to be shown');
  });

  it('are nothing that an agent can ask a permission for', async () => {
    const asked = await api.asSidecar(session.id, 'POST', 'permission-requests', {
      id: randomUUID(),
      grant_type: 'model_key',
      details: { secret_name: 'MODEL_KEY', endpoint: 'default' },
      scope: 'persistent',
      justification: 'please',
      refused_call: null,
    });
    expect(asked).toMatchObject({ status: 422, body: { error: { fields: expect.anything() } } });
    expect(asked.text).toContain('grant_type');
    expect(await api.db('permission_requests').where({ session_id: session.id })).toEqual([]);
  });

  it('have no usage without access', async () => {
    const { session: plain } = await api.runningSession(member, base);
    expect(await member.ok('GET', `/api/sessions/${plain.id}/model-usage`)).toEqual({ model_usage: null });
    expect(await member.ok('GET', `/api/sessions/${plain.id}`)).toMatchObject({
      session: { model_tokens: null },
    });
  });
});
