import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { writeGrant } from '../../../commands/grants/write.ts';
import { createSession } from '../../../commands/sessions/create.ts';
import { moveSession } from '../../../commands/sessions/move.ts';
import type { Agent } from '../../../contract/agent.ts';
import type { GrantScope, GrantType } from '../../../contract/grant.ts';
import { type Person, startTestApi, type TestApi } from '../../support/api.ts';

let api: TestApi;
beforeAll(async () => {
  api = await startTestApi({ RUNTIME: 'process' });
});
afterAll(() => api.stop());

const run = { type: 'builtin', name: 'scripted' };
const served = { type: 'image', image: 'web:1' };
const create = async (person: Person, base: string, more: object = {}) =>
  (await person.ok<{ agent: Agent }>('POST', `${base}/agents`, { name: 'writer', run, ...more })).agent;

function grant(
  agent: Agent,
  by: Person,
  content: { grant_type: GrantType; details: Record<string, unknown>; scope: GrantScope },
) {
  return api.db.transaction((trx) =>
    writeGrant(trx, {
      id: randomUUID(),
      workspace_id: agent.workspace_id,
      user_subject_id: null,
      agent_subject_id: agent.id,
      session_id: null,
      reason: null,
      granted_by_user_id: by.user.id,
      granted_by_role: 'admin',
      request_id: null,
      bound_call_digest: null,
      expires_at: null,
      ...content,
    }),
  );
}
const activeGrants = async (agent: Agent) =>
  (
    await api
      .db('grants')
      .where({ agent_subject_id: agent.id, revoked_at: null })
      .select('grant_type', 'scope')
  ).map((row: { grant_type: string; scope: string }) => `${row.grant_type} ${row.scope}`);

describe('agents', () => {
  it('are created with defaults by a member, who owns them', async () => {
    const { member, workspace, base } = await api.workspace();
    const agent = await create(member, base);
    expect(agent).toMatchObject({
      workspace_id: workspace.id,
      owner_id: member.user.id,
      kind: 'worker',
      network: 'none',
      env: {},
      limits: { total_seconds: null, idle_seconds: null },
    });
    expect(await member.ok('GET', `${base}/agents`)).toMatchObject({
      agents: [{ id: agent.id }],
      next_cursor: null,
    });
    expect(await member.ok('GET', `/api/agents/${agent.id}`)).toEqual({ agent });
  });

  it.each([[{ type: 'image', image: 'registry.example/team/agent:1' }, 'run.type']])(
    'are refused at save when this installation cannot run %j',
    async (unavailable, path) => {
      const { member, base } = await api.workspace();
      const refused = {
        status: 422,
        body: {
          error: { fields: [{ path, code: 'not_available', message: expect.stringContaining('use ') }] },
        },
      };
      const body = { name: 'writer', run: unavailable };
      expect(await member.send('POST', `${base}/agents`, body)).toMatchObject(refused);
      const agent = await create(member, base);
      const patch = (fields: object) => member.send('PATCH', `/api/agents/${agent.id}`, fields);
      expect(await patch({ run: unavailable })).toMatchObject(refused);
      const earlier = JSON.stringify(unavailable);
      await api.db('agents').where({ id: agent.id }).update({ run: earlier });
      expect(await patch({ run: unavailable, name: 'renamed' })).toMatchObject({ status: 200 });
    },
  );

  it('are changed by admins, too; what is no id is not found', async () => {
    const { admin, member, base } = await api.workspace();
    const agent = await create(member, base);
    const path = `/api/agents/${agent.id}`;
    expect(await member.send('GET', '/api/agents/not-a-uuid')).toMatchObject({ status: 404 });
    expect(await admin.ok('PATCH', path, { name: 'by admin' })).toMatchObject({
      agent: { name: 'by admin' },
    });
  });

  it('keep fields that a change omits, and record names of fields and variables, never values', async () => {
    const { workspace, member, base } = await api.workspace();
    const agent = await create(member, base, { env: { A: 'value-a', B: 'value-b' }, network: 'internet' });
    const path = `/api/agents/${agent.id}`;
    await member.ok('PATCH', path, { env: { A: 'value-a', C: 'value-c' }, instructions: 'value-i' });
    const same = await member.ok<{ agent: Agent }>('PATCH', path, {
      network: 'internet',
      instructions: 'value-i',
    });
    expect(same.agent).toMatchObject({ network: 'internet', env: { A: 'value-a', C: 'value-c' } });
    const events = await api.db('audit_events').where({ workspace_id: workspace.id }).orderBy('position');
    expect(events.slice(-3).map(({ event, data }) => [event, data])).toEqual([
      ['agent.created', {}],
      ['agent.updated', { changed: ['instructions'] }],
      ['agent.env_updated', { fields: ['B', 'C'] }],
    ]);
    expect(JSON.stringify(events)).not.toContain('value-');
  });

  it.each([
    ['a reference to a secret that is not set', { env: { T: '${ABSENT}' } }, 'env.T'],
    [
      'such a reference in a sibling',
      { siblings: [{ name: 's', run, env: { T: '${ABSENT}' } }] },
      'siblings.0.env.T',
    ],
    ['a reference with text around it', { env: { T: 'Bearer ${TOKEN}' } }, 'env.T'],
    ['a variable that the platform sets', { env: { LD_PRELOAD: 'x' } }, 'env.LD_PRELOAD'],
    [
      'companions of one name',
      { siblings: [{ name: 's', run }], services: [{ name: 's', run: served }] },
      'services.0.name',
    ],
    [
      'siblings at one port, which the agent could not tell apart',
      {
        siblings: [
          { name: 's', run, port: 5432 },
          { name: 't', run, port: 5432 },
        ],
      },
      'siblings.1.port',
    ],
    [
      'a sibling at a port that needs privilege',
      { siblings: [{ name: 's', run, port: 80 }] },
      'siblings.0.port',
    ],
    [
      'a sibling at a port of the platform',
      { siblings: [{ name: 's', run, port: 7070 }] },
      'siblings.0.port',
    ],
    [
      'a sibling that is ready by a port that it has not',
      { siblings: [{ name: 's', run, ready: { type: 'port' } }] },
      'siblings.0.ready.type',
    ],
    [
      'a sibling with more time than any session waits',
      { siblings: [{ name: 's', run, port: 5432, ready: { type: 'port', timeout_seconds: 601 } }] },
      'siblings.0.ready.timeout_seconds',
    ],
    ['a built-in agent as a service', { services: [{ name: 's', run }] }, 'services.0.run.type'],
    [
      'a service at a port that needs privilege',
      { services: [{ name: 's', run: served, env: { PORT: '80' } }] },
      'services.0.env.PORT',
    ],
    ['a limit of zero', { limits: { total_seconds: 0 } }, 'limits.total_seconds'],
    ['an unknown kind', { kind: 'boss' }, 'kind'],
    ['an unknown field', { owner_id: randomUUID() }, 'owner_id'],
  ])('refuse %s, at creation and in a change', async (_what, more, path) => {
    const { member, base } = await api.workspace();
    const expected = { status: 422, body: { error: { fields: [{ path }] } } };
    expect(await member.send('POST', `${base}/agents`, { name: 'a', run, ...more })).toMatchObject(expected);
    const agent = await create(member, base);
    expect(await member.send('PATCH', `/api/agents/${agent.id}`, more)).toMatchObject(expected);
    expect(await member.ok('GET', `/api/agents/${agent.id}`)).toEqual({ agent });
  });

  it('refuse a companion of the name of one that a change omits', async () => {
    const { member, base } = await api.workspace();
    const agent = await create(member, base, {
      siblings: [{ name: 's', run }],
      services: [{ name: 't', run: served }],
    });
    const change = (fields: object) => member.send('PATCH', `/api/agents/${agent.id}`, fields);
    const refused = (path: string) => ({
      status: 422,
      body: { error: { fields: [{ path, code: 'duplicate' }] } },
    });
    expect(await change({ siblings: [{ name: 't', run }] })).toMatchObject(refused('siblings.0.name'));
    expect(await change({ services: [{ name: 's', run: served }] })).toMatchObject(
      refused('services.0.name'),
    );
    const exchanged = { siblings: [{ name: 't', run }], services: [{ name: 's', run: served }] };
    expect(await change(exchanged)).toMatchObject({ status: 200 });
    expect(await change({ name: 'renamed' })).toMatchObject({ status: 200 });
  });

  it('have unique names in the workspace', async () => {
    const { member, base } = await api.workspace();
    await create(member, base, { name: 'one' });
    const two = await create(member, base, { name: 'two' });
    const conflict = { status: 409, body: { error: { code: 'conflict' } } };
    expect(await member.send('POST', `${base}/agents`, { name: 'one', run })).toMatchObject(conflict);
    expect(await member.send('PATCH', `/api/agents/${two.id}`, { name: 'one' })).toMatchObject(conflict);
  });

  it('get private destinations from admins only', async () => {
    const { admin, member, base } = await api.workspace();
    const egress = { egress_allow: ['10.0.0.0/8:443'] };
    expect(await member.send('POST', `${base}/agents`, { name: 'a', run, ...egress })).toMatchObject({
      status: 403,
    });
    const agent = await create(member, base);
    const path = `/api/agents/${agent.id}`;
    expect(await member.send('PATCH', path, egress)).toMatchObject({ status: 403 });
    await admin.ok('PATCH', path, egress);
    expect(await member.send('PATCH', path, { ...egress, name: 'same list' })).toMatchObject({ status: 200 });
    expect(await member.send('PATCH', path, { egress_allow: [] })).toMatchObject({ status: 403 });
  });
});

describe('grants that an agent holds', () => {
  async function granted() {
    const { workspace, admin, member, base } = await api.workspace();
    await admin.ok('PUT', `${base}/secrets/TOKEN`, { value: 'x' });
    await admin.ok('POST', `${base}/mcp-servers`, {
      name: 'vault',
      shape: { type: 'command', command: 'v' },
      approvers: 'admin',
      manifest: { tool_scopes: { read: 'vault.read' } },
    });
    const agent = await create(member, base);
    await grant(agent, admin, {
      grant_type: 'agent_env',
      details: { secret_name: 'TOKEN' },
      scope: 'persistent',
    });
    await grant(agent, admin, {
      grant_type: 'tool_scope',
      details: { scope: 'files.write' },
      scope: 'persistent',
    });
    await grant(agent, admin, { grant_type: 'tool_scope', details: { scope: 'files.write' }, scope: 'once' });
    await grant(agent, admin, { grant_type: 'tool_scope', details: { scope: 'vault.read' }, scope: 'once' });
    return { workspace, admin, member, base, agent, path: `/api/agents/${agent.id}` };
  }

  it.each([
    { instructions: 'new' },
    { run: { type: 'command', command: 'mine' } },
    { env: { A: '1' } },
    { model_access: { api_key: '${TOKEN}' } },
    { siblings: [{ name: 's', run }] },
    { siblings: [{ name: 's', run, port: 5432, ready: { type: 'port' } }] },
    { network: 'internet' },
  ])(
    'are revoked, unless the editor could grant them, by an edit of what the agent runs: %j',
    async (edit) => {
      const { workspace, member, agent, path } = await granted();
      await member.ok('PATCH', path, edit);
      expect(await activeGrants(agent)).toEqual(['tool_scope once']);
      const revoked = await api
        .db('audit_events')
        .where({ workspace_id: workspace.id, event: 'grant.revoked' });
      expect(revoked).toHaveLength(3);
      expect(revoked.every(({ actor_id }) => actor_id === member.user.id)).toBe(true);
    },
  );

  describe('by a change of what is attached', () => {
    const attach = (person: Person, path: string, env: object) =>
      person.ok('PUT', `${path}/mcp-attachments`, { name: 'mail', env });
    const attached = async () => {
      const given = await granted();
      await given.admin.ok('POST', `${given.base}/mcp-servers`, {
        name: 'mail',
        shape: { type: 'command', command: 'm' },
        network: 'internet',
        manifest: { env: { TO: { kind: 'value', label: 'To' } } },
      });
      await attach(given.admin, given.path, { TO: 'a' });
      return given;
    };

    it.each<[string, (person: Person, path: string) => Promise<unknown>]>([
      ['another value', (person, path) => attach(person, path, { TO: 'b' })],
      ['no value', (person, path) => attach(person, path, {})],
      ['a detached entry', (person, path) => person.ok('DELETE', `${path}/mcp-attachments/mail`)],
      [
        'another entry',
        (person, path) => person.ok('PUT', `${path}/mcp-attachments`, { name: 'vault', env: {} }),
      ],
    ])('are revoked by other changes: %s', async (_what, change) => {
      const { workspace, member, agent, path } = await attached();
      expect(await activeGrants(agent)).toHaveLength(4);
      await change(member, path);
      expect(await activeGrants(agent)).toEqual(['tool_scope once']);
      const revoked = await api
        .db('audit_events')
        .where({ workspace_id: workspace.id, event: 'grant.revoked' });
      expect(revoked.map(({ actor_id, data }) => [actor_id, data])).toEqual(
        Array(3).fill([member.user.id, expect.objectContaining({ cause: 'agent_changed' })]),
      );
    });

    it('stay when nothing changes, and when an admin changes it', async () => {
      const { admin, member, agent, path } = await attached();
      await attach(member, path, { TO: 'a' });
      await attach(admin, path, { TO: 'b' });
      await admin.ok('DELETE', `${path}/mcp-attachments/mail`);
      expect(await activeGrants(agent)).toHaveLength(4);
    });
  });

  it('stay with an edit by an admin, one that changes nothing, and one of other fields', async () => {
    const { admin, member, agent, path } = await granted();
    await admin.ok('PATCH', path, { instructions: 'by admin' });
    await member.ok('PATCH', path, { instructions: 'by admin', name: 'renamed' });
    expect(await activeGrants(agent)).toHaveLength(4);
  });

  it('of scope persistent stay where members may grant them', async () => {
    const { admin, member, base, agent, path } = await granted();
    await admin.ok('PATCH', base, { settings: { members_grant_persistent: true } });
    await member.ok('PATCH', path, { instructions: 'new' });
    expect((await activeGrants(agent)).sort()).toEqual(['tool_scope once', 'tool_scope persistent']);
  });

  it('go with the agent, and their revocation stays in the audit trail', async () => {
    const { workspace, admin, agent, path } = await granted();
    expect(await admin.ok('DELETE', path)).toEqual({ ok: true });
    expect(await api.db('grants').where({ agent_subject_id: agent.id })).toEqual([]);
    const events = await api.db('audit_events').where({ workspace_id: workspace.id }).orderBy('position');
    expect(events.slice(-5).map(({ event }) => event)).toEqual([
      ...Array(4).fill('grant.revoked'),
      'agent.removed',
    ]);
    expect(await admin.send('DELETE', path)).toMatchObject({ status: 404 });
  });
});

describe('an agent with a running session', () => {
  it('is not removed until the session has ended', async () => {
    const { admin, member, workspace, base } = await api.workspace();
    const agent = await create(member, base);
    const session = await createSession(api.db, {
      id: randomUUID(),
      workspaceId: workspace.id,
      agentId: agent.id,
      operatorId: member.user.id,
      rootOperatorId: member.user.id,
      parentSessionId: null,
      prompt: '',
    });
    expect(await admin.send('DELETE', `/api/agents/${agent.id}`)).toMatchObject({
      status: 409,
      body: { error: { code: 'in_use', uses: [{ type: 'session', id: session.id }] } },
    });
    await moveSession(api.db, session.id, { to: 'terminated', reason: 'test' });
    await admin.ok('DELETE', `/api/agents/${agent.id}`);
  });
});
