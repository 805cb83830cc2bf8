/** What somebody sees before they let another agent start this one. */
import { randomUUID } from 'node:crypto';
import { beforeEach, expect, it } from '@jest/globals';
import { revokeGrant } from '../../../commands/grants/revoke.ts';
import { writeGrant } from '../../../commands/grants/write.ts';
import type { Agent } from '../../../contract/agent.ts';
import { type AgentAuthority, mostOfAuthority } from '../../../contract/agent-authority.ts';
import type { ApprovalClaims } from '../../../contract/approval.ts';
import type { Grant } from '../../../contract/grant.ts';
import { callOf, frozenFor, passOn, replaceConfiguration } from '../../support/granted.ts';
import type { SessionApi } from '../../support/session-api.ts';
import { useSessionApi } from '../../support/use-session-api.ts';

type Workspace = Awaited<ReturnType<SessionApi['workspace']>>;

const api = useSessionApi();
let there: Workspace;
let agent: Agent;

beforeEach(async () => {
  there = await api.workspace();
  for (const name of ['OWN_TOKEN', 'SIBLING_PASSWORD', 'SERVICE_KEY']) {
    await setSecret(name);
  }
  agent = await create('child', {
    env: { TOKEN: '${OWN_TOKEN}', PLAIN: 'plain text' },
    siblings: [{ name: 'db', run: scripted, env: { PASSWORD: '${SIBLING_PASSWORD}' } }],
    services: [{ name: 'web', run: served, env: { KEY: '${SERVICE_KEY}', TOKEN: '${OWN_TOKEN}' } }],
    instructions: 'never to be shown',
  });
});

const scripted = { type: 'builtin', name: 'scripted' };
const served = { type: 'command', command: 'serve', args: [] };

async function create(name: string, fields: object = {}): Promise<Agent> {
  const body = { name, run: scripted, ...fields };
  return (await there.member.ok<{ agent: Agent }>('POST', `${there.base}/agents`, body)).agent;
}

const authorityOf = async ({ id }: Pick<Agent, 'id'> = agent, person = there.member) =>
  (await person.ok<{ authority: AgentAuthority }>('GET', `/api/agents/${id}/authority`)).authority;

const setSecret = (name: string) =>
  there.admin.ok('PUT', `${there.base}/secrets/${name}`, { value: 'hidden value' });
const register = (name: string, fields: object) =>
  there.admin.ok('POST', `${there.base}/mcp-servers`, {
    name,
    shape: { type: 'command', command: 'x' },
    network: 'none',
    ...fields,
  });
const attach = (name: string, env: object = {}) =>
  there.member.ok('PUT', `/api/agents/${agent.id}/mcp-attachments`, { name, env });

function give(content: Partial<ApprovalClaims['grant']> = {}): Promise<Grant> {
  return api.db.transaction((trx) =>
    writeGrant(trx, {
      id: randomUUID(),
      workspace_id: there.workspace.id,
      user_subject_id: null,
      agent_subject_id: agent.id,
      grant_type: 'tool_scope',
      details: { scope: 'files.write' },
      scope: 'persistent',
      session_id: null,
      reason: 'the reason is no part of it',
      granted_by_user_id: there.admin.user.id,
      granted_by_role: 'admin',
      request_id: null,
      bound_call_digest: null,
      expires_at: null,
      ...content,
    }),
  );
}

it('names what the agent is, and the secrets that it and its companions can read, without any value', async () => {
  expect(await authorityOf()).toEqual({
    agent: {
      id: agent.id,
      name: 'child',
      kind: 'worker',
      owner: { id: there.member.user.id, name: there.member.user.name },
    },
    network: 'none',
    egress_allow: [],
    remote: false,
    servers: [],
    more_servers: 0,
    grants: [],
    more_grants: 0,
    channels: [],
    more_channels: 0,
    secrets: ['OWN_TOKEN', 'SERVICE_KEY', 'SIBLING_PASSWORD'],
    more_secrets: 0,
  });
});

it('names the channels that list it, which are a way out for what another agent tells it', async () => {
  for (const [name, agents] of [
    ['partners', [agent.id]],
    ['others', []],
  ]) {
    await there.admin.ok('POST', `${there.base}/channels`, { name, address: '${OWN_TOKEN}', agents });
  }
  expect(await authorityOf()).toMatchObject({ channels: ['partners'], more_channels: 0 });
});

it('names its servers, what each gates, and the secrets that each is given', async () => {
  await register('files', {
    manifest: {
      env: { FILES_TOKEN: { kind: 'secret', label: 'Token' }, ROOT: { kind: 'value', label: 'Root' } },
      tool_scopes: { write: 'files.write', edit: 'files.write', remove: 'files.remove' },
    },
    network: 'internet',
    unlisted_tools: 'refuse',
  });
  await register('tickets', {
    shape: { type: 'remote', url: 'https://tickets.test/mcp' },
    network: 'internet',
  });
  await setSecret('GIVEN');
  await attach('files', { FILES_TOKEN: '${GIVEN}', ROOT: '/plain/path' });
  expect(await authorityOf()).toMatchObject({ remote: false });
  await attach('tickets');
  const authority = await authorityOf();
  expect(authority).toMatchObject({ remote: true, more_servers: 0 });
  expect(authority.servers).toEqual([
    {
      name: 'tickets',
      remote: true,
      network: 'internet',
      egress_allow: [],
      unlisted_tools: 'allow',
      tool_scopes: [],
      more_tool_scopes: 0,
      secrets: [],
      more_secrets: 0,
    },
    {
      name: 'files',
      remote: false,
      network: 'internet',
      egress_allow: [],
      unlisted_tools: 'refuse',
      tool_scopes: ['files.remove', 'files.write'],
      more_tool_scopes: 0,
      secrets: ['GIVEN'],
      more_secrets: 0,
    },
  ]);
  expect(JSON.stringify(authority)).not.toMatch(/hidden value|plain|never to be shown/);
});

it('names the grants that a new session of it can use, its own starts of others first', async () => {
  const other = await create('grandchild');
  const lasting = await give();
  const once = await give({ scope: 'once', details: { scope: 'files.remove' } });
  const starts = await give({ grant_type: 'spawn', details: { child_agent_id: other.id } });
  const reads = await give({ grant_type: 'agent_env', details: { secret_name: 'OWN_TOKEN' } });
  const gone = await give({ grant_type: 'spawn', details: { child_agent_id: randomUUID() } });

  const { session } = await api.runningSession(there.member, there.base);
  await give({ scope: 'session', session_id: session.id });
  await give({ agent_subject_id: other.id });
  await give({ agent_subject_id: null, user_subject_id: there.member.user.id });
  await revokeGrant(api.db, (await give()).id, { type: 'user', id: there.admin.user.id });

  const shown = ({ id, grant_type, details, scope }: Grant, child_agent: object | null = null) => ({
    id,
    grant_type,
    details,
    scope,
    child_agent,
  });
  expect((await authorityOf()).grants).toEqual([
    shown(reads),
    shown(gone),
    shown(starts, { id: other.id, name: 'grandchild' }),
    shown(once),
    shown(lasting),
  ]);
});

it('leaves out what is used up', async () => {
  const { session, agent: started } = await api.runningSession(there.member, there.base);
  await replaceConfiguration(api.db, frozenFor(session, started));
  const once = await give({ agent_subject_id: started.id, scope: 'once' });
  expect((await authorityOf(started)).grants).toMatchObject([{ id: once.id }]);
  expect(await passOn(api.db, callOf(session))).toEqual({ grantId: once.id });
  expect((await authorityOf(started)).grants).toEqual([]);
});

it('lists a bounded part of each kind, and counts the rest', async () => {
  const letters = (at: number) => String.fromCharCode(97 + Math.floor(at / 26), 97 + (at % 26));
  const scopes = Array.from({ length: mostOfAuthority + 2 }, (_, at) => `many.${letters(at)}`);
  await register('many', {
    manifest: { tool_scopes: Object.fromEntries(scopes.map((scope) => [scope, scope])) },
  });
  await attach('many');
  const variables = Array.from({ length: mostOfAuthority + 4 }, (_, at) => letters(at).toUpperCase());
  for (const name of variables) {
    await setSecret(`S_${name}`);
  }
  await there.member.ok('PATCH', `/api/agents/${agent.id}`, {
    env: Object.fromEntries(variables.map((name) => [`V_${name}`, `\${S_${name}}`])),
    siblings: [],
    services: [],
  });
  for (const scope of scopes.slice(0, mostOfAuthority + 1)) {
    await give({ details: { scope } });
  }
  const { servers, grants, secrets, ...rest } = await authorityOf();
  expect(servers).toMatchObject([{ tool_scopes: scopes.slice(0, mostOfAuthority), more_tool_scopes: 2 }]);
  expect([grants.length, secrets.length]).toEqual([mostOfAuthority, mostOfAuthority]);
  expect(rest).toMatchObject({ more_grants: 1, more_secrets: 4, more_servers: 0 });
});

it('is for members of the workspace alone', async () => {
  expect(await authorityOf(agent, there.admin)).toEqual(await authorityOf());
  const { member: stranger } = await api.workspace();
  for (const id of [randomUUID(), agent.id]) {
    expect(await stranger.send('GET', `/api/agents/${id}/authority`)).toMatchObject({
      status: 404,
      body: { error: { code: 'not_found', message: 'The agent was not found' } },
    });
  }
});
