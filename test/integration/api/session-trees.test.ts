import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { spawnSession } from '../../../commands/sessions/create.ts';
import type { Agent } from '../../../contract/agent.ts';
import type { AuditEvent } from '../../../contract/audit-event.ts';
import type { PermissionRequest } from '../../../contract/permission-request.ts';
import type { Session } from '../../../contract/session.ts';
import type { Workspace } from '../../../contract/workspace.ts';
import { storeConfiguration } from '../../../store/session-configurations/configurations.ts';
import type { Person } from '../../support/api.ts';
import { frozenFor } from '../../support/granted.ts';
import { type SessionApi, startSessionApi } from '../../support/session-api.ts';

let api: SessionApi;
let workspace: Workspace;
let admin: Person;
/** Drives the root. */
let member: Person;
/** A member who has nothing to do with the tree. */
let colleague: Person;
let base: string;
let planner: Agent;
let root: Session;
let child: Session;
let grandchild: Session;

beforeAll(async () => {
  api = await startSessionApi();
});
beforeEach(async () => {
  ({ workspace, admin, member, base } = await api.workspace());
  colleague = await api.person('Cleo Colleague');
  await api.join(workspace, colleague, 'member');
  ({ session: root, agent: planner } = await api.runningSession(member, base));
  child = await spawn(root, 'research');
  grandchild = await spawn(child, 'tickets');
});
afterAll(() => api.stop());

/** A child that runs the planner, too, under a grant of the admin's. */
async function spawn(parent: Session, label: string): Promise<Session> {
  await admin.ok('POST', `${base}/grants`, {
    agent_subject_id: planner.id,
    grant_type: 'spawn',
    details: { child_agent_id: planner.id },
    scope: 'once',
  });
  const spawned = await spawnSession(
    api.db,
    {
      ...{ callId: randomUUID(), parentSessionId: parent.id, childAgentId: planner.id },
      ...{ prompt: 'Do a part', label },
    },
    api.config,
  );
  if (spawned.result !== 'spawned') {
    throw new Error(`the child was not started: ${spawned.result}`);
  }
  await storeConfiguration(api.db, frozenFor(spawned.session, planner));
  return spawned.session;
}

async function ask(session: Session): Promise<string> {
  const request_id = randomUUID();
  const answer = await api.asSidecar(session.id, 'POST', 'permission-requests', {
    ...{ request_id, grant_type: 'tool_scope', details: { scope: 'files.write' }, scope: 'session' },
    ...{ justification: 'Please', refused_call: null },
  });
  expect(answer).toMatchObject({ status: 200, body: { status: 'sent' } });
  return request_id;
}

const share = ({ id }: Session) => api.db('sessions').where({ id }).update({ shared_with_workspace: true });
const agentOf = () => ({ id: planner.id, name: planner.name });
const read = async (person: Person, { id }: Session) =>
  (await person.ok<{ session: Session & { ancestors: unknown } }>('GET', `/api/sessions/${id}`)).session;
const below = async (person: Person, { id }: Session) =>
  (await person.ok<{ sessions: Session[] }>('GET', `/api/sessions/${id}/children`)).sessions;
const idsOf = (rows: { id: string }[]) => rows.map(({ id }) => id);

describe('a session that another one started', () => {
  it('is shown with its label, the agent above it, and its ancestors from the root', async () => {
    expect(await read(member, grandchild)).toMatchObject({
      label: 'tickets',
      operator: null,
      root_operator: { id: member.user.id, name: 'Max Member' },
      parent_agent: agentOf(),
      may_message: false,
      may_terminate: true,
      ancestors: [
        { id: root.id, agent: agentOf(), label: null },
        { id: child.id, agent: agentOf(), label: 'research' },
      ],
    });
    expect(await read(member, root)).toMatchObject({ label: null, parent_agent: null, ancestors: [] });
  });

  it('shows of its ancestors only those that the reader may read', async () => {
    await share(grandchild);
    expect(await read(colleague, grandchild)).toMatchObject({ label: 'tickets', ancestors: [] });
    await share(root);
    expect(await read(colleague, grandchild)).toMatchObject({ ancestors: [{ id: root.id }] });
    expect(await read(admin, grandchild)).toMatchObject({ ancestors: [{ id: root.id }, { id: child.id }] });
  });

  it('is listed below its ancestors with label and parent, for those who may read it', async () => {
    expect(await below(member, root)).toMatchObject([
      {
        id: grandchild.id,
        parent_session_id: child.id,
        label: 'tickets',
        agent: agentOf(),
        waiting_for: null,
      },
      { id: child.id, parent_session_id: root.id, label: 'research', parent_agent: agentOf() },
    ]);
    await share(root);
    expect(await below(colleague, root)).toEqual([]);
    await share(grandchild);
    expect(idsOf(await below(colleague, root))).toEqual([grandchild.id]);
  });

  it('is in the list of sessions, unless those of people alone are asked for', async () => {
    const list = async (query = '') =>
      idsOf((await member.ok<{ sessions: Session[] }>('GET', `${base}/sessions${query}`)).sessions);
    expect(await list()).toEqual([grandchild.id, child.id, root.id]);
    expect(await list('?children=exclude')).toEqual([root.id]);
  });

  it('says in the list below the root that it waits for an approval', async () => {
    await ask(grandchild);
    expect((await below(member, root)).map(({ id, ...row }) => [id, row])).toMatchObject([
      [grandchild.id, { waiting_for: 'approval' }],
      [child.id, { waiting_for: null }],
    ]);
  });
});

describe('the permission requests of a tree', () => {
  type Listed = { permission_requests: (PermissionRequest & { chain: unknown[] })[] };
  const list = async (person: Person, query: string, path = base) =>
    (await person.ok<Listed>('GET', `${path}/permission-requests?${query}`)).permission_requests;

  it('are listed for each session above, with the chain from the root to the one that asks', async () => {
    const request = await ask(grandchild);
    const chain = [
      { session_id: root.id, agent: agentOf(), label: null },
      { session_id: child.id, agent: agentOf(), label: 'research' },
      { session_id: grandchild.id, agent: agentOf(), label: 'tickets' },
    ];
    for (const { id } of [root, child, grandchild]) {
      expect(await list(member, `tree=${id}&status=open`)).toMatchObject([{ id: request, chain }]);
    }
    expect(await list(member, `session_id=${root.id}`)).toEqual([]);
    const own = await ask(root);
    expect(await list(member, `tree=${grandchild.id}`)).toMatchObject([{ id: request }]);
    expect(await list(member, `tree=${root.id}&session_id=${root.id}`)).toMatchObject([
      { id: own, chain: [{ session_id: root.id }] },
    ]);
  });

  it('are decided by the person at the root', async () => {
    const request = await ask(grandchild);
    expect(await list(member, `tree=${root.id}`)).toMatchObject([{ may_decide: true, operator: null }]);
    await member.ok('POST', `${base}/permission-requests/${request}/deny`, { reason: 'No' });
    expect(await list(member, `tree=${root.id}&status=open`)).toEqual([]);
  });

  it('show somebody who may not read the tree only who asks, without the labels', async () => {
    await api.db('agents').where({ id: planner.id }).update({ owner_id: colleague.user.id });
    const request = await ask(grandchild);
    expect(await list(colleague, 'status=open')).toMatchObject([
      { id: request, chain: [{ session_id: grandchild.id, agent: agentOf(), label: null }] },
    ]);
    expect(await list(colleague, `tree=${root.id}`)).toEqual([]);
  });

  it('of another workspace are those of an unknown session: none', async () => {
    await ask(grandchild);
    const other = await api.workspace();
    for (const id of [root.id, randomUUID()]) {
      expect(await list(other.admin, `tree=${id}`, other.base)).toEqual([]);
    }
    expect(await member.send('GET', `${base}/permission-requests?tree=root`)).toMatchObject({
      status: 422,
      body: { error: { fields: [{ path: 'tree' }] } },
    });
  });
});

describe('the audit events of a tree', () => {
  const list = async (person: Person, query: string, path = base) =>
    (await person.ok<{ audit_events: AuditEvent[] }>('GET', `${path}/audit-events?${query}`)).audit_events;

  it('are those of the session and of all below it', async () => {
    const created = async (id: string) =>
      (await list(admin, `event=session.created&tree=${id}`)).map((event) => event.session_id);
    expect(await created(root.id)).toEqual([grandchild.id, child.id, root.id]);
    expect(await created(child.id)).toEqual([grandchild.id, child.id]);
    const exported = await admin.send('GET', `${base}/audit-events?tree=${grandchild.id}`, undefined, {
      accept: 'application/x-ndjson',
    });
    const lines = exported.text.trim().split('\n');
    expect(new Set(lines.map((line) => JSON.parse(line).session_id))).toEqual(new Set([grandchild.id]));
  });

  it('of another workspace are those of an unknown session: none', async () => {
    const other = await api.workspace();
    for (const id of [root.id, randomUUID()]) {
      expect(await list(other.admin, `tree=${id}`, other.base)).toEqual([]);
    }
    expect(await member.send('GET', `${base}/audit-events?tree=${root.id}`)).toMatchObject({ status: 403 });
  });
});
