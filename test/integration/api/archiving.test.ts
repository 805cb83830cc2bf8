/** Agents that are put away: what ends with that, what is kept, and what comes back. */
import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { archiveAgent } from '../../../commands/agents/archive.ts';
import { approve } from '../../../commands/decisions/approve.ts';
import { createSession } from '../../../commands/sessions/create.ts';
import type { Agent } from '../../../contract/agent.ts';
import type { AuditEvent } from '../../../contract/audit-event.ts';
import type { Channel } from '../../../contract/channel.ts';
import type { Grant } from '../../../contract/grant.ts';
import type { PermissionRequest } from '../../../contract/permission-request.ts';
import type { ShownSchedule } from '../../../contract/schedule.ts';
import type { Session } from '../../../contract/session.ts';
import type { Workspace } from '../../../contract/workspace.ts';
import { inTransaction } from '../../../store/database.ts';
import type { Decision } from '../../../store/decisions/decisions.ts';
import type { Person } from '../../support/api.ts';
import { eventually } from '../../support/eventually.ts';
import { grantFor } from '../../support/granted.ts';
import { useSessionApi } from '../../support/use-session-api.ts';

const api = useSessionApi();
let workspace: Workspace;
let base: string;
let admin: Person;
let owner: Person;
let other: Person;

beforeEach(async () => {
  ({ admin, member: owner, base, workspace } = await api.workspace());
  other = await api.person('Olga Other');
  await api.join(workspace, other, 'member');
});

const at = ({ id }: { id: string }, more = '') => `/api/agents/${id}${more}`;
const create = async (fields: object = {}) =>
  (
    await owner.ok<{ agent: Agent }>('POST', `${base}/agents`, {
      name: `agent-${randomUUID()}`,
      run: { type: 'builtin', name: 'scripted' },
      instructions: '{"steps":[]}',
      ...fields,
    })
  ).agent;
const archive = async (agent: Agent, body: object = {}, who = owner) =>
  (await who.ok<{ agent: Agent }>('POST', at(agent, '/archive'), body)).agent;
const grant = async (agent: Agent, more: object = {}) =>
  (
    await admin.ok<{ grant: Grant }>('POST', `${base}/grants`, {
      agent_subject_id: agent.id,
      grant_type: 'tool_scope',
      details: { scope: 'files.write' },
      scope: 'persistent',
      ...more,
    })
  ).grant;
const toStart = (child: Agent) => ({ grant_type: 'spawn', details: { child_agent_id: child.id } }) as const;
const schedule = async (agent: Agent) =>
  (
    await owner.ok<{ schedule: ShownSchedule }>('POST', `${base}/schedules`, {
      ...{ agent_id: agent.id, name: `Yearly ${randomUUID()}`, prompt: 'Look' },
      spec: { kind: 'cron', expression: '0 0 1 1 *' },
    })
  ).schedule;
const running = async () => {
  const made = await api.runningSession(owner, base);
  return { ...made, session: made.session };
};
const readSession = async ({ id }: { id: string }) =>
  (await admin.ok<{ session: Session }>('GET', `/api/sessions/${id}`)).session;
/** Its workflow was told to end it, which this API's own stand-in only notes. */
async function expectEnd(session: Session): Promise<void> {
  expect(api.signalled).toContain(session.id);
  await api.workflows.signalSession(session.id, 'terminate');
  await eventually(async () =>
    expect(await readSession(session)).toMatchObject({
      status: 'terminated',
      status_reason: 'Its agent was archived',
    }),
  );
}
const ask = (session: Session, scope = 'files.write') =>
  api.asSidecar(session.id, 'POST', 'permission-requests', {
    request_id: randomUUID(),
    ...{ grant_type: 'tool_scope', details: { scope }, scope: 'session', justification: 'to write' },
    refused_call: null,
  });
const requestsOf = async ({ id }: Session) =>
  (
    await admin.ok<{ permission_requests: PermissionRequest[] }>(
      'GET',
      `${base}/permission-requests?session_id=${id}`,
    )
  ).permission_requests;
const audit = async (query: string) =>
  (await admin.ok<{ audit_events: AuditEvent[] }>('GET', `${base}/audit-events?${query}`)).audit_events;
const refusedField = (path: string, code = 'agent_archived') => ({
  status: 422,
  body: { error: { fields: [expect.objectContaining({ path, code })] } },
});

describe('archiving an agent', () => {
  it('revokes its grants, pauses its schedules and takes it off channels, with who did it and why', async () => {
    const [agent, parent] = [await create(), await create({ kind: 'orchestrator' })];
    const held = await grant(agent);
    const others = await grant(parent);
    const start = await grant(parent, toStart(agent));
    const { id: scheduleId } = await schedule(agent);
    await admin.ok('PUT', `${base}/secrets/WEBHOOK`, { value: 'https://hooks.test/x' });
    await admin.ok('POST', `${base}/channels`, {
      ...{ name: 'reports', kind: 'slack', address: '${WEBHOOK}' },
      agents: [agent.id, parent.id],
    });
    expect(await archive(agent)).toMatchObject({ id: agent.id, archived_at: expect.any(String) });

    for (const { id } of [held, start]) {
      expect(await admin.ok('GET', `${base}/grants/${id}`)).toMatchObject({
        grant: { revoked_at: expect.any(String), revocation_cause: 'agent_archived' },
      });
    }
    expect(await admin.ok('GET', `${base}/grants/${others.id}`)).toMatchObject({
      grant: { revoked_at: null },
    });
    expect(await owner.ok('GET', `${base}/schedules/${scheduleId}`)).toMatchObject({
      schedule: { pause_reason: 'agent_archived', agent: { id: agent.id } },
      outlook: { next_times: [] },
    });
    const { channel } = await admin.ok<{ channel: Channel }>('GET', `${base}/channels/reports`);
    expect(channel.agents.map(({ id }) => id)).toEqual([parent.id]);
    expect(await audit('event=agent.archived')).toMatchObject([
      {
        actor: { type: 'user', id: owner.user.id },
        resource: { type: 'agent', id: agent.id, name: agent.name },
        data: { running_sessions: [], ended_sessions: [] },
      },
    ]);
    expect(await archive(agent)).toMatchObject({ archived_at: expect.any(String) });
    expect(await audit('event=agent.archived')).toHaveLength(1);
  });

  it('is for its owner and admins; deleting is for admins', async () => {
    const [agent, second] = [await create(), await create()];
    expect(await owner.send('DELETE', at(agent))).toMatchObject({
      status: 403,
      body: { error: { message: expect.stringContaining('its owner may archive it') } },
    });
    expect(await owner.send('POST', at(agent, '/archive'), { running_sessions: 'kill' })).toMatchObject(
      refusedField('running_sessions', 'invalid_value'),
    );
    await archive(agent);
    await archive(second, {}, admin);
    await admin.ok('DELETE', at(agent));
  });

  it('lists it for those who ask for it, and its name stays taken', async () => {
    const [agent, inUse] = [await create(), await create()];
    await archive(agent);
    const listed = async (query: string) =>
      (await other.ok<{ agents: Agent[] }>('GET', `${base}/agents?${query}`)).agents.map(({ id }) => id);
    expect(await listed('archived=true')).toEqual([agent.id]);
    expect(await listed('archived=false')).toEqual([inUse.id]);
    expect((await listed('')).sort()).toEqual([agent.id, inUse.id].sort());
    expect(await owner.send('GET', `${base}/agents?archived=perhaps`)).toMatchObject({ status: 422 });
    expect(
      await owner.send('POST', `${base}/agents`, { name: agent.name.toUpperCase(), run: agent.run }),
    ).toMatchObject({ status: 409 });
  });
});

describe('an archived agent', () => {
  it('is started by no person and no schedule, and nothing new is set up for it', async () => {
    const [agent, parent] = [await create(), await create({ kind: 'orchestrator' })];
    const { id: scheduleId } = await schedule(agent);
    const second = await schedule(parent);
    await admin.ok('PUT', `${base}/secrets/WEBHOOK`, { value: 'https://hooks.test/x' });
    await archive(agent);

    const start = { agent_id: agent.id, prompt: 'Do it' };
    expect(await admin.send('POST', `${base}/sessions`, start)).toMatchObject(refusedField('agent_id'));
    expect(
      await owner.send('POST', `${base}/schedules`, {
        ...{ agent_id: agent.id, name: 'Hourly', prompt: 'Look' },
        spec: { kind: 'interval', every_seconds: 3600 },
      }),
    ).toMatchObject(refusedField('agent_id'));
    expect(await owner.send('PATCH', `${base}/schedules/${second.id}`, { agent_id: agent.id })).toMatchObject(
      refusedField('agent_id'),
    );
    for (const what of ['resume', 'run']) {
      expect(await admin.send('POST', `${base}/schedules/${scheduleId}/${what}`, {})).toMatchObject({
        status: 409,
      });
    }
    expect(
      await admin.send('POST', `${base}/channels`, {
        ...{ name: 'reports', kind: 'slack', address: '${WEBHOOK}', agents: [agent.id] },
      }),
    ).toMatchObject(refusedField('agents'));
    const body = { agent_subject_id: agent.id, scope: 'persistent' };
    expect(
      await admin.send('POST', `${base}/grants`, {
        ...{ ...body, grant_type: 'tool_scope', details: { scope: 'files.write' } },
      }),
    ).toMatchObject(refusedField('agent_subject_id'));
    expect(
      await admin.send('POST', `${base}/grants`, {
        ...{ ...body, agent_subject_id: parent.id, ...toStart(agent) },
      }),
    ).toMatchObject(refusedField('details.child_agent_id'));
  });

  it('is answered with the session of before when the start is sent again', async () => {
    const { session, agent } = await running();
    await api.db('sessions').where({ id: session.id }).update({ idempotency_key: 'again' });
    await archive(agent, { running_sessions: 'let_finish' });
    const again = await owner.send(
      'POST',
      `${base}/sessions`,
      { agent_id: agent.id, prompt: session.prompt },
      { 'idempotency-key': 'again' },
    );
    expect(again).toMatchObject({ status: 201, body: { session: { id: session.id } } });
  });

  it('gets nothing back with its unarchiving but that it can be started', async () => {
    const agent = await create();
    const held = await grant(agent);
    const { id: scheduleId } = await schedule(agent);
    await archive(agent);
    const { agent: back } = await owner.ok<{ agent: Agent }>('POST', at(agent, '/unarchive'), {});
    expect(back).toMatchObject({ archived_at: null });
    await owner.ok('POST', at(agent, '/unarchive'), {});
    expect(await audit('event=agent.unarchived')).toHaveLength(1);
    expect(await admin.ok('GET', `${base}/grants/${held.id}`)).toMatchObject({
      grant: { revoked_at: expect.any(String) },
    });
    expect(await owner.ok('GET', `${base}/schedules/${scheduleId}`)).toMatchObject({
      schedule: { pause_reason: 'agent_archived' },
    });
    await owner.ok('POST', `${base}/schedules/${scheduleId}/resume`, {});
    await owner.ok('POST', `${base}/sessions`, { agent_id: agent.id, prompt: 'Do it' });
  });
});

describe('running sessions of an agent that is archived', () => {
  it('are named first, and nothing happens yet', async () => {
    const { session, agent } = await running();
    const held = await grant(agent);
    expect(await owner.send('POST', at(agent, '/archive'), {})).toMatchObject({
      status: 409,
      body: { error: { code: 'in_use', uses: [{ type: 'session', id: session.id, name: agent.name }] } },
    });
    expect(await owner.ok('GET', at(agent))).toMatchObject({ agent: { archived_at: null } });
    expect(await admin.ok('GET', `${base}/grants/${held.id}`)).toMatchObject({ grant: { revoked_at: null } });
  });

  it('end, where that is chosen, in the name of who archived it', async () => {
    const { session, agent } = await running();
    await archive(agent, { running_sessions: 'end' });
    await expectEnd(session);
  });

  it('continue without grants and requests, where that is chosen, and can be ended later', async () => {
    const { session, agent } = await running();
    expect((await ask(session)).body).toMatchObject({ status: 'sent' });
    await archive(agent, { running_sessions: 'let_finish' });
    expect(await readSession(session)).toMatchObject({ status: 'running' });
    expect(await requestsOf(session)).toMatchObject([
      { status: 'cancelled', reason: 'Its agent was archived', decided_by: owner.user.id },
    ]);
    expect((await ask(session)).body).toMatchObject({
      status: 'refused',
      message: expect.stringContaining('this agent was archived'),
    });
    await archive(agent, { running_sessions: 'end' });
    await expectEnd(session);
  });

  it('are all found, however many are started at the same moment', async () => {
    const agent = await create();
    const starts = Array.from({ length: 12 }, () =>
      owner.send('POST', `${base}/sessions`, { agent_id: agent.id, prompt: 'Do it' }),
    );
    const archived = archiveAgent(api.db, {
      ...{ agentId: agent.id, userId: owner.user.id, runningSessions: 'end' },
    });
    const answers = await Promise.all(starts);
    expect(['archived', 'busy']).toContain((await archived).result);
    if ((await archived).result === 'busy') {
      await archive(agent, { running_sessions: 'end' });
    }
    const rows = await api.db('sessions').where({ agent_id: agent.id });
    expect(rows.filter((row) => row.requested_ending === null)).toEqual([]);
    expect(rows).toHaveLength(answers.filter(({ status }) => status === 201).length);
    expect(answers.filter(({ status }) => status !== 201).every(({ status }) => status === 422)).toBe(true);
  });

  it('cannot be made by what looked at the agent before', async () => {
    const agent = await create();
    await archive(agent);
    const late = createSession(api.db, {
      ...{ id: randomUUID(), workspaceId: workspace.id, agentId: agent.id, prompt: '' },
      ...{ operatorId: owner.user.id, rootOperatorId: owner.user.id, parentSessionId: null },
    });
    await expect(late).rejects.toMatchObject({ name: 'AgentArchivedError' });
    expect(await api.db('sessions').where({ agent_id: agent.id })).toEqual([]);
  });
});

describe('an approval that is carried out once the agent is archived', () => {
  it.each([
    ['that would hold the grant', 'tool_scope'],
    ['that another one could start', 'spawn'],
  ] as const)('grants nothing: one %s', async (_what, grant_type) => {
    const [{ session, agent }, child] = [await running(), await create()];
    const isChild = grant_type === 'spawn';
    await archive(isChild ? child : agent, { running_sessions: 'let_finish' });
    const grant = grantFor(session, {
      ...{ grant_type, scope: 'persistent', granted_by_user_id: admin.user.id },
      ...(isChild ? toStart(child) : {}),
    });
    const decision: Decision = {
      ...{ id: randomUUID(), workspaceId: workspace.id, requestId: null, reason: null },
      ...{ userId: admin.user.id, approval: null, mutesSession: false },
      kind: 'approve',
    };
    expect(await inTransaction(api.db, (trx) => approve(trx, decision, grant))).toBe('agent_archived');
    expect(await api.db('grants').where({ id: grant.id })).toEqual([]);
  });
});

describe('the audit trail', () => {
  it('keeps the names of an agent that was deleted, as they were', async () => {
    const { session, agent } = await running();
    await ask(session);
    const held = await grant(agent);
    await owner.ok('PATCH', at(agent), { name: 'renamed' });
    await archive(agent, { running_sessions: 'end' });
    await expectEnd(session);
    expect(await admin.ok('GET', at(agent, '/removal'))).toEqual({
      removal: { sessions: 1, artifacts: 0, permission_requests: 1, grants: 1, schedules: 0 },
    });
    await admin.ok('DELETE', at(agent));
    expect(await audit(`event=permission_request.created`)).toMatchObject([
      { actor: { type: 'agent', id: agent.id, name: agent.name } },
    ]);
    expect(await audit(`resource=${held.id}&event=grant.created`)).toMatchObject([
      { actor: { id: admin.user.id, name: null }, data: { agent_name: agent.name } },
    ]);
    expect(await audit(`resource=${held.id}&event=grant.revoked`)).toMatchObject([
      { data: { agent_name: 'renamed', cause: 'agent_archived' } },
    ]);
    expect(await audit(`event=agent.removed`)).toMatchObject([
      { resource: { name: 'renamed' }, data: { removed: { sessions: 1, grants: 1 } } },
    ]);
  });
});
