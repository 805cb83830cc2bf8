/** What the activities of a session do for the sessions above and below it. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { moveSession } from '../../../commands/sessions/move.ts';
import type { Agent } from '../../../contract/agent.ts';
import type { Session } from '../../../contract/session.ts';
import { systemActor } from '../../../contract/session-event.ts';
import { readRequestedEnding, readSession, requestEnding } from '../../../store/sessions/sessions.ts';
import { createTestActivities, type TestActivities } from '../../support/activities.ts';
import { remoteNamed } from '../../support/frozen-configuration.ts';
import { frozenFor, replaceConfiguration } from '../../support/granted.ts';
import { childOf, rootSession } from '../../support/session-trees.ts';
import type { Tenant } from '../../support/tenant.ts';

let activities: TestActivities;
let tenant: Tenant;
let parent: Session;
let worker: Agent;
let child: Session;
let signals: string[];

beforeAll(async () => {
  activities = await createTestActivities();
});
beforeEach(async () => {
  tenant = await activities.tenant();
  ({ session: parent } = await rootSession(activities.db, tenant));
  worker = await tenant.agent();
  child = await childOf(activities.db, parent, worker);
  signals = [];
  const { workflows } = activities.dependencies;
  activities.dependencies.workflows = {
    ...workflows,
    signalSession: async (id, signal) => {
      signals.push(`${signal} ${id}`);
      return true;
    },
  };
});
afterAll(() => activities.drop());

const askToEnd = (id: string) =>
  requestEnding(activities.db, id, { by: systemActor, status: 'terminated', reason: 'over', summary: null });
const recordEnd = (id: string) =>
  activities.run('recordEnd', { sessionId: id, observed: { status: 'failed', reason: 'It was lost' } });
const startedOf = ({ id }: Session) =>
  activities.runtime.started.filter(({ configuration }) => configuration.session_id === id);

describe('a child that was asked to end before it started', () => {
  it.each(['validateLaunch', 'startWorkload'] as const)(
    'is refused by %s, and nothing of it starts',
    async (step) => {
      await askToEnd(child.id);
      await expect(activities.run(step, { sessionId: child.id })).rejects.toMatchObject({
        type: 'launch_refused',
        nonRetryable: true,
        message: 'It was asked to end before it started',
      });
      expect(startedOf(child)).toEqual([]);
      expect(await recordEnd(child.id)).toMatchObject({ status: 'terminated' });
      expect(await readSession(activities.db, child.id)).toMatchObject({ status_reason: 'over' });
    },
  );

  it('is refused for that, however full the workers are', async () => {
    const { limits } = activities.dependencies;
    activities.dependencies.limits = { ...limits, WORKER_MAX_SESSIONS: 0 };
    try {
      await askToEnd(child.id);
      await expect(activities.run('validateLaunch', { sessionId: child.id })).rejects.toMatchObject({
        message: 'It was asked to end before it started',
      });
    } finally {
      activities.dependencies.limits = limits;
    }
  });
});

it('a child starts as other sessions do, in the name of the person at the root', async () => {
  await activities.run('validateLaunch', { sessionId: child.id });
  await activities.run('startWorkload', { sessionId: child.id });
  expect(startedOf(child)).toHaveLength(1);
});

it('a child does not start once the person at the root has left the workspace', async () => {
  await activities.db('members').where({ user_id: tenant.max.id }).delete();
  await expect(activities.run('startWorkload', { sessionId: child.id })).rejects.toMatchObject({
    type: 'launch_refused',
  });
  expect(startedOf(child)).toEqual([]);
});

it('a child with a remote server is refused, also one that nobody signs in to', async () => {
  const frozen = { ...frozenFor(child, worker), servers: [remoteNamed('far')] };
  await replaceConfiguration(activities.db, frozen);
  await expect(activities.run('validateLaunch', { sessionId: child.id })).rejects.toMatchObject({
    type: 'launch_refused',
    message: expect.stringContaining('"far" is a remote server'),
  });
});

describe('a recorded end', () => {
  it('asks all children to end, and tells their workflows and the parent’s', async () => {
    const below = await childOf(activities.db, child, worker);
    await recordEnd(child.id);
    expect(await readRequestedEnding(activities.db, below.id)).toMatchObject({ status: 'terminated' });
    expect(signals.sort()).toEqual([`inputAvailable ${parent.id}`, `terminate ${below.id}`].sort());
  });

  it('is told again when the activity runs again, and is recorded once', async () => {
    await recordEnd(parent.id);
    await recordEnd(parent.id);
    expect(signals).toEqual([`terminate ${child.id}`, `terminate ${child.id}`]);
    expect(await readRequestedEnding(activities.db, child.id)).toMatchObject({
      reason: 'The session that started it has ended',
    });
  });

  it('is recorded when Temporal does not answer, and waits for nobody', async () => {
    const { workflows } = activities.dependencies;
    activities.dependencies.workflows = { ...workflows, signalSession: () => new Promise(() => undefined) };
    expect(await recordEnd(parent.id)).toMatchObject({ status: 'failed' });
    activities.dependencies.workflows = {
      ...workflows,
      signalSession: () => Promise.reject(new Error('unavailable')),
    };
    expect(await recordEnd(child.id)).toMatchObject({ status: 'terminated' });
  });

  it('tells no child that has ended', async () => {
    await moveSession(activities.db, child.id, { to: 'completed', reason: 'done' });
    await recordEnd(parent.id);
    expect(signals).toEqual([]);
  });
});
