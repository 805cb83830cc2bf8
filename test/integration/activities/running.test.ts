import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { stopOrphans } from '../../../activities/workloads/stop-orphans.ts';
import { askForPermission } from '../../../commands/permission-requests/ask.ts';
import { moveSession } from '../../../commands/sessions/move.ts';
import type { Session } from '../../../contract/session.ts';
import { sessionWorkflowId } from '../../../contract/workflows.ts';
import { readPermissionRequest } from '../../../store/permission-requests/requests.ts';
import { readSession, requestEnding } from '../../../store/sessions/sessions.ts';
import { createTestActivities, environmentOf, type TestActivities } from '../../support/activities.ts';
import { callKeys } from '../../support/granted.ts';
import type { Tenant } from '../../support/tenant.ts';

let activities: TestActivities;
let tenant: Tenant;

beforeAll(async () => {
  activities = await createTestActivities();
  tenant = await activities.tenant();
});
afterAll(() => activities.drop());

const newSession = async () => tenant.session(await tenant.agent());

async function ask(session: Session): Promise<string> {
  const requestId = randomUUID();
  await askForPermission(
    activities.db,
    callKeys,
    session.id,
    {
      request_id: requestId,
      grant_type: 'tool_scope',
      details: { scope: 'files.write' },
      scope: 'once',
      justification: '',
      refused_call: null,
    },
    { openRequests: 10, denialMuteSeconds: 0, expirySeconds: 3600 },
  );
  return requestId;
}

it('a step of a launch that is late moves no session back', async () => {
  const { id } = await newSession();
  await moveSession(activities.db, id, { to: 'running', reason: null });
  for (const to of ['validating', 'starting'] as const) {
    expect(await moveSession(activities.db, id, { to, reason: null })).toMatchObject({ status: 'running' });
  }
  expect(await readSession(activities.db, id)).toMatchObject({ status: 'running' });
});

describe('recording the end', () => {
  const observed = { status: 'completed', reason: 'The agent exited with code 0' } as const;

  it('cancels what is open and ends the session in one step, once', async () => {
    const session = await newSession();
    const requestId = await ask(session);
    const sessionId = session.id;
    expect(await activities.run('listOpenRequests', { sessionId })).toEqual({ requestIds: [requestId] });
    expect(await activities.run('recordEnd', { sessionId, observed })).toEqual(observed);
    expect(await readPermissionRequest(activities.db, requestId)).toMatchObject({ status: 'cancelled' });
    const later = { status: 'failed', reason: 'something else' } as const;
    expect(await activities.run('recordEnd', { sessionId, observed: later })).toEqual(observed);
    expect(await readSession(activities.db, sessionId)).toMatchObject({
      status: 'completed',
      status_reason: observed.reason,
    });
    const types = await activities.db('session_events').where({ session_id: sessionId }).orderBy('seq');
    expect(types.at(-1)).toMatchObject({ type: 'session.status_changed', payload: { to: 'completed' } });
  });

  it('prefers a requested end to an observed one', async () => {
    const session = await newSession();
    await requestEnding(activities.db, session.id, {
      by: { type: 'user', id: tenant.ada.id },
      status: 'terminated',
      reason: 'Terminated by Ada Admin',
      summary: null,
    });
    // The text of people and agents is in the row, and never in Temporal.
    for (const _again of [1, 2]) {
      expect(await activities.run('recordEnd', { sessionId: session.id, observed })).toEqual({
        status: 'terminated',
        reason: 'The session was asked to end',
      });
    }
    expect(await readSession(activities.db, session.id)).toMatchObject({
      status: 'terminated',
      status_reason: 'Terminated by Ada Admin',
    });
  });

  it('records nothing for a session that was removed', async () => {
    expect(await activities.run('recordEnd', { sessionId: randomUUID(), observed })).toEqual(observed);
  });
});

describe('the idle clock', () => {
  const idleMs = 60_000;
  const idleFor = (session: Session, seconds: number) =>
    activities.db.raw(
      `update sessions set last_activity_at = now() - make_interval(secs => ?) where id = ?`,
      [seconds, session.id],
    );
  const check = ({ id }: Session) => activities.run('checkIdle', { sessionId: id, idleMs });

  it('runs from the last activity', async () => {
    const session = await newSession();
    await idleFor(session, 20);
    const { remainingMs } = await check(session);
    expect(remainingMs).toBeGreaterThan(35_000);
    expect(remainingMs).toBeLessThanOrEqual(40_000);
    await idleFor(session, 61);
    expect((await check(session)).remainingMs).toBeLessThanOrEqual(0);
  });

  it('pauses while a human is asked, and restarts with the answer', async () => {
    const session = await newSession();
    const requestId = await ask(session);
    await idleFor(session, 3600);
    expect(await check(session)).toEqual({ remainingMs: idleMs });
    await activities.run('closeRequest', { requestId, status: 'expired' });
    expect((await check(session)).remainingMs).toBeGreaterThan(50_000);
  });
});

describe('a look at the workload', () => {
  const look = (session: { id: string }, lastingMs: Record<string, number> = {}) =>
    activities.run('inspectWorkload', { sessionId: session.id, lastingMs });
  const sidecar = { name: 'sidecar', state: 'running' } as const;
  const agent = { name: 'agent', state: 'running' } as const;
  const goesOn = { exit: null, lasting: [], lookAgainInMs: null };
  const notices = ({ id }: Session) =>
    activities.db('session_events').where({ session_id: id, type: 'platform.notice' }).pluck('payload');

  it('finds nothing while the session goes on, and the exit of its agent', async () => {
    const session = await newSession();
    const { states } = activities.runtime;
    states.set(session.id, { state: 'running', containers: [sidecar, agent] });
    expect(await look(session)).toEqual(goesOn);
    const exited = { name: 'agent', state: 'exited', exitCode: 4, signal: null } as const;
    states.set(session.id, { state: 'running', containers: [sidecar, exited] });
    expect((await look(session)).exit).toEqual({ kind: 'agent_exited', exitCode: 4, signal: null });
    states.delete(session.id);
    expect((await look(session)).exit).toMatchObject({ kind: 'workload_lost' });
  });

  it('gives a sidecar that restarts 30 seconds', async () => {
    const session = await newSession();
    const { states } = activities.runtime;
    const restarting = { name: 'sidecar', state: 'restarting' } as const;
    states.set(session.id, { state: 'running', containers: [restarting, agent] });
    expect(await look(session)).toEqual({ exit: null, lasting: ['sidecar'], lookAgainInMs: 30_000 });
    expect(await look(session, { sidecar: 29_900 })).toMatchObject({ exit: null, lookAgainInMs: 1000 });
    expect((await look(session, { sidecar: 30_001 })).exit).toEqual({ kind: 'sidecar_lost' });
    states.set(session.id, { state: 'running', containers: [sidecar, agent] });
    expect(await look(session, { sidecar: 30_001 })).toEqual(goesOn);
    states.delete(session.id);
  });

  it('announces a server that ended 20 seconds ago, once, whoever looks', async () => {
    const session = await newSession();
    const { states } = activities.runtime;
    const server = { name: 'mcp-files', state: 'exited', exitCode: 1, signal: null } as const;
    states.set(session.id, { state: 'running', containers: [sidecar, agent, server] });
    expect(await look(session)).toEqual({ exit: null, lasting: ['mcp-files'], lookAgainInMs: 20_000 });
    expect(await notices(session)).toEqual([]);
    const later = { 'mcp-files': 20_000 };
    const found = await Promise.all([look(session, later), look(session, later), look(session, later)]);
    expect(found).toEqual(found.map(() => ({ exit: null, lasting: ['mcp-files'], lookAgainInMs: null })));
    expect(await notices(session)).toEqual([
      { code: 'container_ended', message: 'The MCP server "files" ended with exit code 1' },
    ]);
    // As after a run that continued, which does not know that it was announced.
    await look(session);
    await look(session, later);
    expect(await notices(session)).toHaveLength(1);
    states.delete(session.id);
  });

  it('lets a session continue when the address of the API is only written in another way', async () => {
    const session = await newSession();
    await activities.run('freezeConfiguration', { sessionId: session.id });
    await activities.run('startWorkload', { sessionId: session.id });
    const before = activities.dependencies.internalApiUrl;
    activities.dependencies.internalApiUrl = `${before.replace('http:', 'HTTP:')}/`;
    try {
      expect((await look(session)).exit).toBeNull();
    } finally {
      activities.dependencies.internalApiUrl = before;
      activities.runtime.states.delete(session.id);
    }
  });

  it('ends a session that was removed, or whose sidecar reports to a former address of the API', async () => {
    expect((await look({ id: randomUUID() })).exit).toEqual({ kind: 'session_removed' });
    const session = await newSession();
    await activities.run('freezeConfiguration', { sessionId: session.id });
    await activities.run('startWorkload', { sessionId: session.id });
    expect((await look(session)).exit).toBeNull();
    const before = activities.dependencies.internalApiUrl;
    activities.dependencies.internalApiUrl = 'http://127.0.0.1:2';
    try {
      expect((await look(session)).exit).toEqual({
        kind: 'workload_lost',
        reason: `it reports to ${before}, and the API is at http://127.0.0.1:2 now; start a new session`,
      });
    } finally {
      activities.dependencies.internalApiUrl = before;
      activities.runtime.states.delete(session.id);
    }
  });
});

describe('stopping the workload', () => {
  const ended = (name: string, more: object) => ({
    ...{ name, state: 'exited' as const, exitCode: null, signal: null },
    ...more,
  });
  const companions = [
    ended('mcp-files', { exitCode: 1 }),
    ended('mcp-web', { signal: 'SIGKILL' }),
    ended('sibling-db', { exitCode: 137, reason: 'it used more than its 256 MiB of memory' }),
    ended('agent', { exitCode: 1 }),
    { name: 'mcp-other', state: 'running' as const },
  ];
  const notices = async ({ id }: Session) => {
    const found = activities.db('session_events').where({ session_id: id, type: 'platform.notice' });
    return (await found.orderBy('seq')).map(({ payload }) => payload);
  };

  it('reports once each MCP server and sibling that had ended before', async () => {
    const session = await newSession();
    const containers = [...companions, { name: 'sidecar', state: 'running' as const }];
    for (let time = 0; time < 2; time += 1) {
      activities.runtime.states.set(session.id, { state: 'running', containers });
      await activities.run('stopWorkload', { sessionId: session.id });
    }
    expect(activities.runtime.stopped).toContain(session.id);
    expect(await notices(session)).toEqual([
      { code: 'container_ended', message: 'The MCP server "files" ended with exit code 1' },
      { code: 'container_ended', message: 'The MCP server "web" was ended by SIGKILL' },
      {
        code: 'container_ended',
        message: 'The sibling "db" was ended: it used more than its 256 MiB of memory',
      },
    ]);
  });

  it('reports none that ended with the sidecar, or that an earlier attempt may have stopped', async () => {
    const session = await newSession();
    const sidecar = { name: 'sidecar', state: 'running' as const };
    const lost = [...companions, ended('sidecar', { exitCode: 1 })];
    activities.runtime.states.set(session.id, { state: 'running', containers: lost });
    await activities.run('stopWorkload', { sessionId: session.id });
    activities.runtime.states.set(session.id, { state: 'running', containers: [...companions, sidecar] });
    const again = environmentOf(sessionWorkflowId(session.id), 2);
    await activities.run('stopWorkload', { sessionId: session.id }, again);
    expect(await notices(session)).toEqual([]);
  });
});

describe('orphaned workloads', () => {
  it('are stopped, and no others', async () => {
    const [running, ended] = [await newSession(), await newSession()];
    await moveSession(activities.db, ended.id, { to: 'failed', reason: 'lost' });
    const gone = randomUUID();
    for (const id of [running.id, ended.id, gone]) {
      activities.runtime.states.set(id, { state: 'running', containers: [] });
    }
    expect((await stopOrphans(activities.dependencies)).sort()).toEqual([ended.id, gone].sort());
    expect(await activities.runtime.list()).toEqual([running.id]);
    activities.runtime.states.clear();
  });
});
