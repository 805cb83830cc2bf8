import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { useSecretGrants } from '../../../commands/grants/use.ts';
import { moveSession } from '../../../commands/sessions/move.ts';
import type { Agent } from '../../../contract/agent.ts';
import type { GrantState } from '../../../contract/grant.ts';
import type { Session } from '../../../contract/session.ts';
import type { Workspace } from '../../../contract/workspace.ts';
import type { Person } from '../../support/api.ts';
import {
  callOf,
  frozenFor,
  giveGrant,
  grantFor,
  passOn,
  replaceConfiguration,
} from '../../support/granted.ts';
import { useSessionApi } from '../../support/use-session-api.ts';

const api = useSessionApi();
let workspace: Workspace;
let admin: Person;
let member: Person;
let reader: Person;
let base: string;
let session: Session;
let agent: Agent;

beforeEach(async () => {
  ({ workspace, admin, member, base } = await api.workspace());
  ({ session, agent } = await api.runningSession(member, base));
  reader = await api.person('Rita Reader');
  await api.join(workspace, reader, 'member');
});

const read = async (id: string, person = member) =>
  (await person.ok<{ grant: object }>('GET', `${base}/grants/${id}`)).grant;
const idsOf = async (query: string) =>
  (await member.ok<{ grants: { id: string }[] }>('GET', `${base}/grants?${query}`)).grants.map(
    ({ id }) => id,
  );
/** The session has a server `files` whose `write_file` is gated. */
const freeze = () => replaceConfiguration(api.db, frozenFor(session, agent));
const use = (content: object = {}) => passOn(api.db, callOf(session, content));

describe('a grant', () => {
  beforeEach(freeze);

  it('reports who created it, for whom, how it was used, and who revoked it', async () => {
    const { id } = await giveGrant(api.db, session, {
      scope: 'persistent',
      granted_by_user_id: admin.user.id,
    });
    const facts = {
      subject: { type: 'agent', id: agent.id, name: agent.name },
      granted_by: { id: admin.user.id, name: 'Ada Admin' },
    };
    expect(await read(id)).toMatchObject({
      ...facts,
      state: 'active',
      revoked_by: null,
      revocation_cause: null,
      use_count: 0,
      last_used_at: null,
    });
    const callId = randomUUID();
    await use();
    await use({ callId });
    const [last] = await api.db('grant_uses').where({ call_id: callId }).select('at');
    expect(await read(id)).toMatchObject({ use_count: 2, last_used_at: last?.at });
    await admin.ok('DELETE', `${base}/grants/${id}`);
    expect(await read(id)).toMatchObject({
      ...facts,
      state: 'revoked',
      revoked_by: { id: admin.user.id, name: 'Ada Admin' },
      revocation_cause: 'by_hand',
      may_revoke: false,
    });
  });

  it('reports the change that ended it', async () => {
    const lasting = await giveGrant(api.db, session, { scope: 'persistent' });
    const own = await giveGrant(api.db, session, { scope: 'persistent', user_subject_id: reader.user.id });
    await member.ok('PATCH', `/api/agents/${agent.id}`, { instructions: '{"steps":[{"sleep_seconds":1}]}' });
    expect(await read(lasting.id)).toMatchObject({
      revoked_by: { name: 'Max Member' },
      revocation_cause: 'agent_changed',
    });
    await admin.ok('DELETE', `${base}/members/${reader.user.id}`);
    expect(await read(own.id)).toMatchObject({
      revoked_by: { name: 'Ada Admin' },
      revocation_cause: 'member_removed',
    });
  });

  it('reports whether the caller may revoke it', async () => {
    const lasting = await giveGrant(api.db, session, { scope: 'persistent' });
    const own = await giveGrant(api.db, session, {
      scope: 'persistent',
      user_subject_id: member.user.id,
    });
    expect(await read(lasting.id)).toMatchObject({ may_revoke: false });
    expect(await read(lasting.id, admin)).toMatchObject({ may_revoke: true });
    expect(await read(own.id)).toMatchObject({
      may_revoke: true,
      subject: { type: 'user', id: member.user.id, name: 'Max Member' },
    });
    expect(await read(own.id, reader)).toMatchObject({ may_revoke: false });
    expect(await member.send('DELETE', `${base}/grants/${lasting.id}`)).toMatchObject({ status: 403 });
  });

  it('is not found in other workspaces', async () => {
    const { id } = await giveGrant(api.db, session);
    const other = await api.workspace();
    for (const path of [`/grants/${id}`, `/grants/${id}/uses`]) {
      expect(await other.admin.send('GET', other.base + path)).toMatchObject({ status: 404 });
      expect(await other.admin.send('GET', base + path)).toMatchObject({ status: 404 });
    }
  });
});

describe('a grant to start another agent', () => {
  const warningsOf = async (child: string) => {
    const made = await admin.ok<{ grant: { id: string; warnings: { code: string }[] } }>(
      'POST',
      `${base}/grants`,
      {
        ...{ agent_subject_id: agent.id, grant_type: 'spawn', scope: 'persistent' },
        details: { child_agent_id: child },
      },
    );
    return made.grant.warnings.map(({ code }) => code);
  };

  it('has a warning while its holder starts nothing, and while nothing starts its agent', async () => {
    const { id } = (await api.runningSession(member, base)).agent;
    expect(await warningsOf(id)).toEqual(['not_orchestrator']);
    await api.db('agents').where({ id: agent.id }).update({ kind: 'orchestrator' });
    expect(await warningsOf(id)).toEqual([]);
    const entry = { name: 'far', shape: { type: 'command', command: 'x' }, network: 'none' };
    const { mcp_server } = await admin.ok<{ mcp_server: { id: string } }>('POST', `${base}/mcp-servers`, {
      ...entry,
      manifest: { env: {}, tool_scopes: {} },
    });
    const remote = { type: 'remote', url: 'https://far.test/mcp' };
    await api.db('mcp_servers').where({ id: mcp_server.id }).update({ shape: remote });
    const attached = { workspace_id: workspace.id, agent_id: id, mcp_server_id: mcp_server.id, env: {} };
    await api.db('agent_mcp_attachments').insert(attached);
    expect(await warningsOf(id)).toEqual(['not_startable']);
  });
});

describe('a grant for a scope that nothing gates on', () => {
  const make = () =>
    admin.ok<{ grant: { warnings: object[] } }>('POST', `${base}/grants`, {
      agent_subject_id: agent.id,
      grant_type: 'tool_scope',
      details: { scope: 'files.write' },
      scope: 'persistent',
    });

  it('is created, with a warning', async () => {
    const made = await make();
    expect(Object.keys(made)).toEqual(['grant']);
    expect(made.grant).toMatchObject({
      state: 'active',
      warnings: [{ path: 'details.scope', code: 'unknown_scope' }],
    });
    expect(await member.ok('GET', `${base}/grants`)).toMatchObject({
      grants: [{ warnings: [{ code: 'unknown_scope' }] }],
    });
  });

  it('has no warning once an entry names the scope', async () => {
    await admin.ok('POST', `${base}/mcp-servers`, {
      name: 'files',
      shape: { type: 'command', command: 'x' },
      manifest: { tool_scopes: { write_file: 'files.write' } },
    });
    expect((await make()).grant.warnings).toEqual([]);
  });

  it('has no warning while a session gates on it', async () => {
    await freeze();
    expect((await make()).grant.warnings).toEqual([]);
  });
});

describe('grants are listed', () => {
  beforeEach(freeze);

  it('by state, each in exactly one state', async () => {
    const consumed = await giveGrant(api.db, session);
    await use();
    const expired = await giveGrant(api.db, session, { scope: 'session' });
    const revoked = await giveGrant(api.db, session, { scope: 'persistent' });
    await admin.ok('DELETE', `${base}/grants/${revoked.id}`);
    const bySession = await idsOf(`session_id=${session.id}`);
    expect(await idsOf('state=expired')).toEqual([]);
    await api.workflows.signalSession(session.id, 'terminate').catch(() => undefined);
    await moveSession(api.db, session.id, { to: 'terminated', reason: 'Over' });
    const active = await giveGrant(api.db, session, { scope: 'persistent' });
    const expected: Record<GrantState, string[]> = {
      active: [active.id],
      consumed: [consumed.id],
      expired: [expired.id],
      revoked: [revoked.id],
    };
    for (const [state, ids] of Object.entries(expected)) {
      expect([state, await idsOf(`state=${state}&include_revoked=true`)]).toEqual([state, ids]);
      expect(await read(ids[0] ?? '')).toMatchObject({ state });
      expect(await read(ids[0] ?? '', admin)).toMatchObject({ may_revoke: state === 'active' });
    }
    expect(await member.send('GET', `${base}/grants?state=revoked`)).toMatchObject({
      status: 422,
      body: { error: { fields: [{ path: 'include_revoked' }] } },
    });
    expect(await admin.ok('DELETE', `${base}/grants/${expired.id}`)).toEqual({ ok: true });
    expect(await read(expired.id)).toMatchObject({ state: 'expired', revoked_at: null });
    expect(await idsOf('')).toEqual([active.id, expired.id, consumed.id]);
    expect(bySession).toEqual([expired.id]);
    expect(await member.send('GET', `${base}/grants?state=lost`)).toMatchObject({ status: 422 });
  });
});

describe('a scope that an entry restricts to admins', () => {
  beforeEach(freeze);

  const entry = {
    name: 'files',
    shape: { type: 'command', command: 'x' },
    manifest: { tool_scopes: { write_file: 'files.write' } },
    approvers: 'admin',
  };

  it('keeps a member’s grant, with a warning, and announces that beforehand', async () => {
    const planted = await giveGrant(api.db, session, {
      scope: 'persistent',
      user_subject_id: member.user.id,
    });
    await giveGrant(api.db, session, { scope: 'persistent', details: { scope: 'files.remove' } });
    const query = `state=active&granted_by_role=member&tool_scope=files.write,files.put`;
    expect(await idsOf(query)).toEqual([planted.id]);
    await admin.ok('POST', `${base}/mcp-servers`, entry);
    expect(await use()).toBeNull();
    expect(await read(planted.id, admin)).toMatchObject({
      state: 'active',
      granted_by_role: 'member',
      warnings: [{ path: 'granted_by_role', code: 'needs_admin' }],
    });
    const path = `/api/agents/${agent.id}/reach`;
    await admin.ok('PUT', `/api/agents/${agent.id}/mcp-attachments`, { name: 'files', env: {} });
    expect(await member.ok('GET', path)).toMatchObject({ reach: { grants: [] } });
    expect(await member.send('GET', `${base}/grants?tool_scope=files`)).toMatchObject({
      status: 422,
      body: { error: { fields: [{ path: 'tool_scope' }] } },
    });
  });

  it('accepts a grant of an admin, according to the approval that the API signed', async () => {
    await admin.ok('POST', `${base}/mcp-servers`, entry);
    const body = {
      agent_subject_id: agent.id,
      grant_type: 'tool_scope',
      details: { scope: 'files.write' },
      scope: 'persistent',
    };
    const { grant } = await admin.ok<{ grant: { id: string } }>('POST', `${base}/grants`, body);
    expect(grant).toMatchObject({ granted_by_role: 'admin', warnings: [] });
    expect(await use()).toEqual({ grantId: grant.id });
  });
});

describe('a grant whose details no longer fit its type', () => {
  it.each([
    ['details', 'tool_scope', { scope: 'Files' }],
    ['type', 'teleport', { to: 'anywhere' }],
  ])(
    'is visible to its %s, permits nothing, and can be revoked by an admin',
    async (_what, grant_type, details) => {
      const id = randomUUID();
      const row = { ...grantFor(session, { scope: 'persistent' }), id, grant_type };
      await api.db('grants').insert({ ...row, details: JSON.stringify(details) });
      expect(await read(id)).toMatchObject({
        state: 'active',
        grant_type,
        details,
        may_revoke: false,
        warnings: [{ path: 'details', code: 'unreadable_details' }],
      });
      expect(await idsOf('')).toEqual([id]);
      expect(await member.send('DELETE', `${base}/grants/${id}`)).toMatchObject({ status: 403 });
      expect(await admin.ok('DELETE', `${base}/grants/${id}`)).toEqual({ ok: true });
      expect(await read(id)).toMatchObject({ state: 'revoked', revoked_by: { name: 'Ada Admin' } });
    },
  );
});

describe('the uses of a grant', () => {
  beforeEach(freeze);

  it('are the calls that passed on it, newest first, in pages', async () => {
    const { id } = await giveGrant(api.db, session, { scope: 'persistent' });
    const calls = [randomUUID(), randomUUID(), randomUUID()];
    for (const callId of calls) {
      await use({ callId });
    }
    const path = `${base}/grants/${id}/uses`;
    const first = await member.ok<{ uses: object[]; next_cursor: string }>('GET', `${path}?limit=2`);
    expect(first.uses).toMatchObject([
      { call_id: calls[2], session_id: session.id, server: 'files', tool: 'write_file' },
      { call_id: calls[1] },
    ]);
    expect(await member.ok('GET', `${path}?limit=2&cursor=${first.next_cursor}`)).toMatchObject({
      uses: [{ call_id: calls[0] }],
      next_cursor: null,
    });
  });

  it('are shown for sessions that the caller may read', async () => {
    const { id } = await giveGrant(api.db, session, { scope: 'persistent' });
    await use();
    const count = async (person: Person) =>
      (await person.ok<{ uses: object[] }>('GET', `${base}/grants/${id}/uses`)).uses.length;
    expect([await count(reader), await count(admin)]).toEqual([0, 1]);
    await api.db('sessions').where({ id: session.id }).update({ shared_with_workspace: true });
    expect(await count(reader)).toBe(1);
  });

  it('name no tool when a session started with a secret', async () => {
    const { id } = await giveGrant(api.db, session, {
      grant_type: 'agent_env',
      details: { secret_name: 'TOKEN' },
      scope: 'persistent',
    });
    const uses = {
      sessionId: session.id,
      grantType: 'agent_env',
      endpoint: null,
      secretNames: ['TOKEN'],
    } as const;
    await useSecretGrants(api.db, uses);
    expect(await member.ok('GET', `${base}/grants/${id}/uses`)).toMatchObject({
      uses: [{ session_id: session.id, server: null, tool: null }],
    });
  });
});
