/** `spawn_session` and `list_spawnable_agents` as an agent calls them, on a real database. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { revokeGrant } from '../../../commands/grants/revoke.ts';
import { moveSession } from '../../../commands/sessions/move.ts';
import type { Agent } from '../../../contract/agent.ts';
import type { Session } from '../../../contract/session.ts';
import { inTransaction } from '../../../store/database.ts';
import { readSession } from '../../../store/sessions/sessions.ts';
import { openTools, type TestTools } from '../../support/platform-tools.ts';
import {
  childOf,
  freeze,
  grantSpawn,
  rootSession,
  spawn as spawnUnseen,
} from '../../support/session-trees.ts';
import type { Tenant } from '../../support/tenant.ts';

let tools: TestTools;
let tenant: Tenant;
let parent: Session;
let worker: Agent;

beforeAll(async () => {
  tools = await openTools({ LIMIT_RUNNING_CHILDREN_PER_SESSION: '2' });
});
beforeEach(async () => {
  tenant = tools.tenantOf(await tools.caller());
  ({ session: parent } = await rootSession(tools.db, tenant));
  worker = await tenant.agent();
});
afterAll(() => tools.close());

const spawn = (given: object = {}, callId?: string, by: Session = parent) =>
  tools.call(by, 'spawn_session', { agent_id: worker.id, prompt: 'Summarise it', ...given }, callId);
const spawned = (given: object = {}, callId?: string) =>
  tools.ok<{ session_id: string; status: string }>(
    parent,
    'spawn_session',
    { agent_id: worker.id, prompt: 'Summarise it', ...given },
    callId,
  );
const listed = async (by: Session = parent) =>
  (await tools.ok<{ agents: unknown[] }>(by, 'list_spawnable_agents', {})).agents;
const childrenOf = ({ id }: { id: string }) =>
  tools.db('sessions').where({ parent_session_id: id }).pluck('id');
const attachRemote = async (agent: Agent) => {
  const shape = { type: 'remote' as const, url: 'https://far.test/mcp' };
  const server = await tenant.server(`far-${randomUUID().slice(0, 8)}`, undefined, { shape });
  await tools
    .db('agent_mcp_attachments')
    .insert({ agent_id: agent.id, mcp_server_id: server.id, workspace_id: agent.workspace_id, env: '{}' });
  return server;
};

describe('spawn_session', () => {
  it('starts a child and its workflow, with its prompt and its label', async () => {
    await grantSpawn(tools.db, parent, worker);
    const answer = await spawned({ label: 'tickets' });
    expect(answer).toEqual({
      ...{ session_id: expect.any(String), status: 'pending' },
      next_step: expect.stringContaining(`{"session_id":"${answer.session_id}","wait_seconds":20}`),
    });
    expect(tools.started).toContain(answer.session_id);
    expect(await readSession(tools.db, answer.session_id)).toMatchObject({
      prompt: 'Summarise it',
      parent_session_id: parent.id,
      operator_id: null,
    });
    expect(
      await tools
        .db('session_events')
        .where({ session_id: parent.id, type: 'child.started' })
        .pluck('payload'),
    ).toEqual([{ session_id: answer.session_id, agent_id: worker.id, label: 'tickets' }]);
    expect(tools.logged()).not.toContain('Summarise it');
  });

  it('says what to ask for when nobody has allowed it', async () => {
    expect(await spawn()).toEqual({
      status: 'failed',
      code: 'permission_required',
      message: `No person has allowed this agent to start ${worker.id}. Call request_permission of the platform server, once, with {"grant_type":"spawn","details":{"child_agent_id":"${worker.id}"},"scope":"session","justification":"why you need it","wait_seconds":300}. It waits for a person.`,
    });
    expect(await childrenOf(parent)).toEqual([]);
  });

  it('is for orchestrators, as the session froze its agent, whatever it holds and has become since', async () => {
    const agent = await tenant.agent();
    const session = await freeze(tools.db, await tenant.session(agent), agent);
    await grantSpawn(tools.db, session, worker);
    await tools.db('agents').where({ id: agent.id }).update({ kind: 'orchestrator' });
    expect(await spawn({}, undefined, session)).toMatchObject({
      code: 'not_allowed',
      message: expect.stringContaining('Only an agent of the kind "orchestrator"'),
    });
    expect(await childrenOf(session)).toEqual([]);
  });

  it('starts no archived agent, and does not list it, even with a grant', async () => {
    await grantSpawn(tools.db, parent, worker);
    expect(await listed()).toMatchObject([{ agent_id: worker.id, available: true }]);
    await tools.db('agents').where({ id: worker.id }).update({ archived_at: new Date().toISOString() });
    expect(await listed()).toEqual([]);
    expect(await spawn()).toMatchObject({
      code: 'not_allowed',
      message: 'agent_id: it cannot be started by a session: it is archived',
    });
    expect(await spawnUnseen(tools.db, parent, worker)).toEqual({ result: 'agent_archived' });
    expect(await childrenOf(parent)).toEqual([]);
  });

  it('starts nothing in a workspace that was closed meanwhile', async () => {
    await grantSpawn(tools.db, parent, worker);
    const closed_at = new Date().toISOString();
    await tools.db('workspaces').where({ id: tenant.workspace.id }).update({ closed_at });
    expect(await spawnUnseen(tools.db, parent, worker)).toEqual({ result: 'session_ended' });
    expect(await childrenOf(parent)).toEqual([]);
  });

  it('starts no agent with a remote server, before and after the server is gone', async () => {
    await grantSpawn(tools.db, parent, worker);
    const server = await attachRemote(worker);
    expect(await spawn()).toMatchObject({
      code: 'not_allowed',
      message: expect.stringContaining(
        `agent_id: it cannot be started by a session: "${server.name}" is a remote server`,
      ),
    });
    expect(await listed()).toMatchObject([{ agent_id: worker.id, available: false }]);
    expect(await childrenOf(parent)).toEqual([]);
    await tools.db('agent_mcp_attachments').where({ agent_id: worker.id }).delete();
    expect(await spawned()).toMatchObject({ status: 'pending' });
  });

  it.each<[string, () => Promise<string>]>([
    ['an agent that does not exist', async () => randomUUID()],
    ['an agent of another workspace', async () => (await tools.tenantOf(await tools.caller()).agent()).id],
  ])('answers alike for %s', async (_what, other) => {
    const agentId = await other();
    await grantSpawn(tools.db, parent, worker, { details: { child_agent_id: agentId } });
    expect(await spawn({ agent_id: agentId })).toEqual({
      status: 'failed',
      code: 'not_found',
      message: 'agent_id: there is no such agent in this workspace',
    });
    expect(await listed()).toEqual([]);
  });

  it('names the limit that is reached, and uses nothing up', async () => {
    await grantSpawn(tools.db, parent, worker);
    await spawned();
    await spawned();
    const once = await grantSpawn(tools.db, parent, worker, { scope: 'once' });
    expect(await spawn()).toEqual({
      status: 'failed',
      code: 'limit_reached',
      message: 'The limit is 2 running children per session; one has to end first',
    });
    expect(await tools.db('grants').where({ id: once.id }).pluck('consumed_at')).toEqual([null]);
  });

  it('is refused once its session has ended', async () => {
    await grantSpawn(tools.db, parent, worker);
    await moveSession(tools.db, parent.id, { to: 'completed', reason: 'done' });
    expect(await spawn()).toMatchObject({
      code: 'not_allowed',
      message: expect.stringContaining('has ended'),
    });
  });

  it('sent again is answered with its child, when nothing of it would be allowed any more', async () => {
    const callId = randomUUID();
    const grant = await grantSpawn(tools.db, parent, worker);
    const first = await spawned({}, callId);
    await inTransaction(tools.db, (trx) => revokeGrant(trx, grant.id, { type: 'user', id: tenant.ada.id }));
    await attachRemote(worker);
    await tools.db('session_configurations').where({ session_id: parent.id }).delete();
    await moveSession(tools.db, parent.id, { to: 'completed', reason: 'done' });
    const begunBefore = tools.started.length;
    expect(await spawned({ prompt: 'Something else' }, callId)).toEqual(first);
    expect(tools.started.slice(begunBefore)).toEqual([first.session_id]);
    await moveSession(tools.db, first.session_id, { to: 'terminated', reason: 'ended' });
    expect(await spawned({}, callId)).toEqual({ ...first, status: 'terminated' });
    expect(tools.started).toHaveLength(begunBefore + 1);
    expect(await childrenOf(parent)).toEqual([first.session_id]);
  });

  it('stays stored when Temporal is unavailable, for a worker to start', async () => {
    await grantSpawn(tools.db, parent, worker);
    const { startSession } = tools.workflows;
    tools.workflows.startSession = () => Promise.reject(new Error('unavailable'));
    try {
      expect(await spawned()).toMatchObject({ status: 'pending' });
    } finally {
      tools.workflows.startSession = startSession;
    }
    expect(await childrenOf(parent)).toHaveLength(1);
  });

  it.each<[string, object, string]>([
    ['another id than a UUID', { agent_id: 'worker' }, 'agent_id: '],
    ['a prompt that is no text', { prompt: 7 }, 'prompt: '],
    ['a prompt that cannot be stored', { prompt: 'a\u0000b' }, 'prompt: '],
    ['an empty label', { label: '' }, 'label: '],
    ['too long a label', { label: 'x'.repeat(101) }, 'label: '],
    ['an operator', { operator_id: randomUUID() }, 'operator_id'],
    ['a parent', { parent_session_id: randomUUID() }, 'parent_session_id'],
    ['a grant', { grant_id: randomUUID() }, 'grant_id'],
  ])('takes no call with %s', async (_what, given, named) => {
    await grantSpawn(tools.db, parent, worker);
    expect(await spawn(given)).toMatchObject({
      code: 'validation_failed',
      message: expect.stringContaining(named),
    });
    expect(await childrenOf(parent)).toEqual([]);
  });
});

describe('list_spawnable_agents', () => {
  it('lists each active grant with its agent', async () => {
    const other = await tenant.agent({ kind: 'orchestrator' });
    const [wide, once] = [
      await grantSpawn(tools.db, parent, worker),
      await grantSpawn(tools.db, parent, other, { scope: 'once' }),
    ];
    expect(await listed()).toEqual([
      {
        ...{ agent_id: worker.id, name: worker.name, description: 'A worker without MCP servers' },
        ...{ grant_id: wide.id, scope: 'persistent', available: true },
      },
      {
        ...{ agent_id: other.id, name: other.name, description: 'An orchestrator without MCP servers' },
        ...{ grant_id: once.id, scope: 'once', available: true },
      },
    ]);
    await spawned({ agent_id: other.id });
    await inTransaction(tools.db, (trx) => revokeGrant(trx, wide.id, { type: 'user', id: tenant.ada.id }));
    expect(await listed()).toEqual([]);
  });

  it('lists nothing that another agent, another session or the parent was granted', async () => {
    const beside = await rootSession(tools.db, tenant);
    await grantSpawn(tools.db, beside.session, worker);
    await grantSpawn(tools.db, parent, worker, { scope: 'session', session_id: parent.id });
    const child = await childOf(tools.db, parent, beside.agent);
    await tools.db('grants').where({ agent_subject_id: beside.agent.id }).delete();
    expect(await listed(child)).toEqual([]);
    expect(await listed()).toHaveLength(2);
  });
});
