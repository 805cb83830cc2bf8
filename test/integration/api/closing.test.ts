/**
 * A workspace that an admin closes: what ends, what is refused from then on, what can still be read, and
 * what a reopened one has.
 */
import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { endInClosedWorkspaces } from '../../../bin/worker/closed-workspaces.ts';
import { approve } from '../../../commands/decisions/approve.ts';
import { startScheduledRun } from '../../../commands/schedules/start-run.ts';
import { createSession } from '../../../commands/sessions/create.ts';
import { closeWorkspace } from '../../../commands/workspaces/close.ts';
import { endInClosed } from '../../../commands/workspaces/end-in-closed.ts';
import type { Agent } from '../../../contract/agent.ts';
import type { AuditEvent } from '../../../contract/audit-event.ts';
import type { PermissionRequest } from '../../../contract/permission-request.ts';
import type { ShownSchedule } from '../../../contract/schedule.ts';
import type { Session } from '../../../contract/session.ts';
import type { Workspace } from '../../../contract/workspace.ts';
import { inTransaction } from '../../../store/database.ts';
import type { Decision } from '../../../store/decisions/decisions.ts';
import { checkStanding } from '../../../store/grants/check-standing.ts';
import type { Person } from '../../support/api.ts';
import { eventually } from '../../support/eventually.ts';
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
let base: string;
let admin: Person;
let member: Person;

beforeEach(async () => {
  ({ admin, member, base, workspace } = await api.workspace());
});

/** The answer does not wait for all to end. */
const close = async (who = admin) => {
  const body = { name: workspace.name };
  const closed = await who.ok<{ workspace: Workspace }>('POST', `${base}/close`, body);
  await eventually(async () => expect((await stored())?.closing_ended_at).not.toBeNull());
  return closed.workspace;
};
const reopen = () => admin.send('POST', `${base}/reopen`, {});
/** Closed, and nothing has ended yet: as where the process was killed right after. */
const onlyClose = () =>
  closeWorkspace(api.db, {
    ...{ workspaceId: workspace.id, userId: admin.user.id, name: workspace.name, reopenableDays: 30 },
  });
const audit = async (query: string) =>
  (await admin.ok<{ audit_events: AuditEvent[] }>('GET', `${base}/audit-events?${query}`)).audit_events;
const refusal = { status: 409, body: { error: { code: 'workspace_closed' } } };
const readSession = async ({ id }: { id: string }) =>
  (await admin.ok<{ session: Session }>('GET', `/api/sessions/${id}`)).session;
const ended = (session: Session) =>
  eventually(async () =>
    expect(await readSession(session)).toMatchObject({
      status: 'terminated',
      status_reason: 'The workspace was closed',
    }),
  );
const running = async () => {
  const { session, agent } = await api.runningSession(member, base);
  await replaceConfiguration(api.db, frozenFor(session, agent));
  return { session, agent };
};
const ask = (session: Session) =>
  api.asSidecar(session.id, 'POST', 'permission-requests', {
    request_id: randomUUID(),
    ...{ grant_type: 'tool_scope', details: { scope: 'files.write' }, scope: 'session' },
    ...{ justification: 'to write', refused_call: null },
  });
const schedule = async (agent: Agent) =>
  (
    await member.ok<{ schedule: ShownSchedule }>('POST', `${base}/schedules`, {
      ...{ agent_id: agent.id, name: `Yearly ${randomUUID()}`, prompt: 'Look' },
      spec: { kind: 'cron', expression: '0 0 1 1 *' },
    })
  ).schedule;
const stored = () => api.db('workspaces').where({ id: workspace.id }).first();
const sweep = () =>
  endInClosedWorkspaces({
    dependencies: { db: api.db, log: { warn: () => undefined } as never },
    workflows: api.workflows,
    schedules: api.workflows.schedules,
  });

describe('closing a workspace', () => {
  it('is for admins who type its name', async () => {
    const stranger = await api.person('Stranger');
    const { admin: elsewhere } = await api.workspace();
    for (const [who, status] of [
      [member, 403],
      [stranger, 404],
      [elsewhere, 404],
      [api.anonymous, 401],
    ] as const) {
      expect(await who.send('POST', `${base}/close`, { name: workspace.name })).toMatchObject({ status });
      expect(await who.send('POST', `${base}/reopen`, {})).toMatchObject({ status });
    }
    for (const name of [workspace.name.toLowerCase(), `${workspace.name} `, '', workspace.slug]) {
      expect(await admin.send('POST', `${base}/close`, { name })).toMatchObject({
        status: 422,
        body: { error: { fields: [{ path: 'name', code: 'other_name' }] } },
      });
    }
    expect(await stored()).toMatchObject({ closed_at: null });
    const closed = await close();
    expect(closed).toMatchObject({ closed_at: expect.any(String), closed_by: admin.user.id });
    const days =
      (Date.parse(closed.reopenable_until ?? '') - Date.parse(closed.closed_at ?? '')) / 86_400_000;
    expect(days).toBeCloseTo(30, 3);
    expect(await close()).toEqual(closed);
    expect(await member.ok('GET', base)).toEqual({ workspace: closed });
    expect(await audit('event=workspace.closed')).toMatchObject([
      { actor: { id: admin.user.id }, data: { reopenable_until: closed.reopenable_until } },
    ]);
  });

  it('ends its sessions, revokes its grants, closes its requests and pauses its schedules', async () => {
    const { session, agent } = await running();
    const [held, own] = [
      await giveGrant(api.db, session, { scope: 'persistent' }),
      await giveGrant(api.db, session, { scope: 'persistent', user_subject_id: member.user.id }),
    ];
    const { id: scheduleId } = await schedule(agent);
    expect((await ask(session)).body).toMatchObject({ status: 'sent' });
    await close();
    await ended(session);
    for (const { id } of [held, own]) {
      expect(await admin.ok('GET', `${base}/grants/${id}`)).toMatchObject({
        grant: { revoked_at: expect.any(String), revocation_cause: 'workspace_closed' },
      });
    }
    expect(await audit('event=grant.revoked')).toMatchObject([
      { actor: { id: admin.user.id } },
      { actor: { id: admin.user.id } },
    ]);
    expect(await admin.ok('GET', `${base}/schedules/${scheduleId}`)).toMatchObject({
      schedule: { pause_reason: 'workspace_closed' },
      outlook: { next_times: [] },
    });
    const { permission_requests: requests } = await admin.ok<{ permission_requests: PermissionRequest[] }>(
      'GET',
      `${base}/permission-requests`,
    );
    expect(requests).toMatchObject([{ status: 'cancelled' }]);
  });

  it('is finished by a worker where it was interrupted, and not reopened before', async () => {
    const { session } = await running();
    const { id } = await giveGrant(api.db, session, { scope: 'persistent' });
    await onlyClose();
    const interrupted = endInClosed(api.db, workspace.id, async () => {
      throw new Error('killed');
    });
    await expect(interrupted).rejects.toThrow('killed');
    expect(await reopen()).toMatchObject({ status: 409, body: { error: { code: 'conflict' } } });
    await Promise.all([sweep(), sweep()]);
    await ended(session);
    expect(await audit(`event=grant.revoked&resource=${id}`)).toHaveLength(1);
    expect(await reopen()).toMatchObject({ status: 200 });
  });
});

describe('a closed workspace', () => {
  it('can be read and exported, and changed by nobody', async () => {
    const { session, agent } = await running();
    await close();
    for (const path of [
      base,
      `${base}/agents`,
      `${base}/sessions`,
      `${base}/grants`,
      `${base}/members`,
      `${base}/secrets`,
      `/api/agents/${agent.id}`,
      `/api/sessions/${session.id}`,
      `/api/sessions/${session.id}/events`,
    ]) {
      expect(await admin.send('GET', path)).toMatchObject({ status: 200 });
    }
    const accept = { accept: 'application/x-ndjson' };
    const lines = await admin.send('GET', `${base}/audit-events`, undefined, accept);
    expect(lines.status).toBe(200);
    expect(lines.text).toContain('workspace.closed');
    for (const [who, method, path, body] of [
      [admin, 'PATCH', base, { name: 'Other' }],
      [member, 'POST', `${base}/agents`, { name: 'x', run: agent.run, instructions: '{}' }],
      [member, 'PATCH', `/api/agents/${agent.id}`, { name: 'x' }],
      [admin, 'DELETE', `/api/agents/${agent.id}`, undefined],
      [member, 'POST', `${base}/sessions`, { agent_id: agent.id, prompt: 'go' }],
      [member, 'POST', `/api/sessions/${session.id}/messages`, { text: 'go on' }],
      [admin, 'PUT', `${base}/secrets/X`, { value: 'y' }],
      [admin, 'POST', `${base}/mcp-servers`, { name: 'x', shape: { type: 'remote', url: 'https://x.test' } }],
      [admin, 'PUT', `${base}/members/${member.user.id}`, { role: 'admin' }],
      [admin, 'POST', `${base}/grants`, {}],
      [member, 'POST', `${base}/schedules`, {}],
      [admin, 'POST', `${base}/channels`, {}],
    ] as const) {
      expect({ path, ...(await who.send(method, path, body)) }).toMatchObject({ path, ...refusal });
    }
  });

  it('has an agent whose calls do not pass, although its session has not ended yet', async () => {
    const { session, agent } = await running();
    const { id: scheduleId } = await schedule(agent);
    const { id } = await giveGrant(api.db, session, { scope: 'persistent' });
    const earlier = callOf(session);
    expect(await passOn(api.db, earlier)).toEqual({ grantId: id });
    await onlyClose();
    expect(await readSession(session)).toMatchObject({ status: 'running' });
    expect(await api.db('grants').where({ id }).first()).toMatchObject({ revoked_at: null });

    const calls = [earlier, callOf(session)];
    for (const call of calls) {
      expect(await passOn(api.db, call)).toBeNull();
    }
    expect((await checkStanding(api.db, session.id, calls)).size).toBe(0);
    expect((await ask(session)).body).toMatchObject({ status: 'refused', code: 'runtime_requests_disabled' });
    const tool = { name: 'list_spawnable_agents', call_id: randomUUID(), arguments: {} };
    expect(await api.asSidecar(session.id, 'POST', 'platform-tools/calls', tool)).toMatchObject(refusal);
    const due = { scheduleId, scheduledAt: '2027-01-01T00:00:00.000Z' };
    const quotas = {
      LIMIT_RUNNING_SESSIONS_PER_USER: 100,
      LIMIT_RUNNING_SESSIONS_PER_WORKSPACE: 100,
      RATE_SESSIONS_PER_HOUR_PER_USER: 100,
      RATE_SESSIONS_PER_HOUR_PER_WORKSPACE: 100,
    };
    expect(await startScheduledRun(api.db, due, quotas)).toBeNull();
    expect(await api.db('schedule_runs').where({ schedule_id: scheduleId })).toMatchObject([
      { outcome: 'workspace_closed' },
    ]);
    const late = createSession(api.db, {
      ...{ id: randomUUID(), workspaceId: workspace.id, agentId: agent.id, prompt: '' },
      ...{ operatorId: member.user.id, rootOperatorId: member.user.id, parentSessionId: null },
    });
    await expect(late).rejects.toMatchObject({ code: 'WSC01' });
    const grant = grantFor(session, { scope: 'persistent', granted_by_user_id: admin.user.id });
    const decision: Decision = {
      ...{ id: randomUUID(), workspaceId: workspace.id, requestId: null, reason: null, kind: 'approve' },
      ...{ userId: admin.user.id, approval: null, mutesSession: false },
    };
    expect(await inTransaction(api.db, (trx) => approve(trx, decision, grant))).toBe('workspace_closed');
    await expect(giveGrant(api.db, session)).rejects.toMatchObject({ code: 'WSC01' });
  });

  it('has no session that began at the moment of closing, nor a call that passed after it', async () => {
    const { session, agent } = await running();
    await giveGrant(api.db, session, { scope: 'persistent' });
    let isClosed = false;
    let late = 0;
    let checked = 0;
    const keepChecking = async () => {
      for (let after = 0; after < 3; after += isClosed ? 1 : 0) {
        const began = isClosed;
        const passed = await passOn(api.db, callOf(session));
        checked += 1;
        late += began && passed !== null ? 1 : 0;
      }
    };
    const checking = Promise.all([keepChecking(), keepChecking(), keepChecking()]);
    const starts = Array.from({ length: 8 }, () =>
      member.send('POST', `${base}/sessions`, { agent_id: agent.id, prompt: 'Do it' }),
    );
    await onlyClose();
    isClosed = true;
    const answers = await Promise.all(starts);
    await checking;
    await close();
    const rows = await api.db('sessions').where({ workspace_id: workspace.id });
    expect(rows.filter((row) => row.requested_ending === null)).toEqual([]);
    expect(rows).toHaveLength(1 + answers.filter(({ status }) => status === 201).length);
    expect(answers.filter(({ status }) => status !== 201 && status !== 409)).toEqual([]);
    expect({ late, checkedEnough: checked >= 9 }).toEqual({ late: 0, checkedEnough: true });
  });

  it('waits with its closing for what is being written, and takes that back', async () => {
    const { session } = await running();
    let closing: Promise<unknown> | undefined;
    const { id } = await inTransaction(api.db, async (trx) => {
      const given = await giveGrant(trx, session, { scope: 'persistent' });
      closing = close();
      await eventually(async () => {
        const waiting = await api
          .db('pg_locks' as never)
          .where({ locktype: 'advisory', granted: false } as never);
        expect(waiting).not.toEqual([]);
      });
      return given;
    });
    await closing;
    expect(await api.db('grants').where({ id }).first()).toMatchObject({ revoked_at: expect.any(String) });
  });
});

describe('a reopened workspace', () => {
  it('has nothing back that ended, and is used as before', async () => {
    const { session, agent } = await running();
    const { id } = await giveGrant(api.db, session, { scope: 'persistent' });
    const { id: scheduleId } = await schedule(agent);
    await close();
    await ended(session);
    expect(await reopen()).toMatchObject({
      status: 200,
      body: { workspace: { closed_at: null, closed_by: null, reopenable_until: null } },
    });
    expect(await reopen()).toMatchObject({ status: 200 });
    expect(await audit('event=workspace.reopened')).toHaveLength(1);
    expect(await admin.ok('GET', `${base}/grants/${id}`)).toMatchObject({
      grant: { revoked_at: expect.any(String) },
    });
    expect(await admin.ok('GET', `${base}/schedules/${scheduleId}`)).toMatchObject({
      schedule: { pause_reason: 'workspace_closed' },
    });
    await member.ok('POST', `${base}/schedules/${scheduleId}/resume`, {});
    await member.ok('POST', `${base}/sessions`, { agent_id: agent.id, prompt: 'Do it' });
  });

  it('cannot be had once the time for that is over', async () => {
    await close();
    await api
      .db('workspaces')
      .where({ id: workspace.id })
      .update({ reopenable_until: '2026-01-01T00:00:00Z' });
    expect(await reopen()).toMatchObject({ status: 409 });
    expect(await stored()).toMatchObject({ closed_at: expect.any(String) });
  });
});
