/**
 * However a session ends, those below it end with it, each once and with a reason; nothing
 * of them is left running.
 */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { startLostWorkflows, tellAgain } from '../../../bin/worker/sweep.ts';
import { type WorkloadWatch, watchWorkloads } from '../../../bin/worker/watch-workloads.ts';
import { createSession } from '../../../commands/sessions/create.ts';
import { moveSession, parentEnded } from '../../../commands/sessions/move.ts';
import type { Agent } from '../../../contract/agent.ts';
import type { Session } from '../../../contract/session.ts';
import { sessionSignals, sessionWorkflowContract, sessionWorkflowId } from '../../../contract/workflows.ts';
import { readSession, requestEnding } from '../../../store/sessions/sessions.ts';
import { createWorkspaceOf } from '../../../store/workspaces/workspace-of.ts';
import { createWorkflows } from '../../../workflows/client.ts';
import { createTestActivities, type TestActivities } from '../../support/activities.ts';
import { startActivityWorker } from '../../support/activity-worker.ts';
import { eventually } from '../../support/eventually.ts';
import type { Tenant } from '../../support/tenant.ts';
import type { TestWorker } from '../../support/worker.ts';

let activities: TestActivities;
let tenant: Tenant;
let worker: TestWorker;
let watch: WorkloadWatch;
let agent: Agent;

const workflows = () => createWorkflows(worker.client.workflow, worker.taskQueue);

beforeAll(async () => {
  activities = await createTestActivities();
  tenant = await activities.tenant();
  worker = await startActivityWorker(activities.dependencies);
  activities.dependencies.workflows = workflows();
  watch = watchWorkloads({
    ...activities.dependencies,
    workspaceOf: createWorkspaceOf(activities.db),
    workflows: workflows(),
  });
});
beforeEach(async () => {
  agent = await tenant.agent();
});
afterAll(async () => {
  watch.stop();
  await worker.stop();
  await activities.drop();
});

const sweeping = () => ({
  dependencies: activities.dependencies,
  workflows: workflows(),
  workloads: watch,
  ...{ outputKeptSeconds: 3600, checkKeptSeconds: 3600 },
  ...{ refusedCallKeptSeconds: 3600, channelMessagesKeptSeconds: 3600 },
});
const sweep = async () => {
  await startLostWorkflows(sweeping());
  await tellAgain(sweeping());
};
const handleOf = ({ id }: Session) => worker.client.workflow.getHandle(sessionWorkflowId(id));
const sessionIs = ({ id }: Session, expected: object) =>
  eventually(async () => expect(await readSession(activities.db, id)).toMatchObject(expected));

/** As the spawn of a child stores it. */
const below = (parent: Session) =>
  createSession(activities.db, {
    ...{ id: randomUUID(), workspaceId: parent.workspace_id, agentId: agent.id, prompt: '' },
    ...{ operatorId: null, rootOperatorId: parent.root_operator_id, parentSessionId: parent.id },
  });

async function run(session: Session, { historyLimit }: { historyLimit?: number } = {}): Promise<Session> {
  await worker.client.workflow.start(sessionWorkflowContract.type, {
    ...{ workflowId: sessionWorkflowId(session.id), taskQueue: worker.taskQueue },
    args: [{ sessionId: session.id, ...(historyLimit === undefined ? {} : { historyLimit }) }],
  });
  await sessionIs(session, { status: 'starting' });
  await handleOf(session).signal(sessionSignals.sidecarReady);
  await sessionIs(session, { status: 'running' });
  return session;
}

/** Three levels that run: the first session, one below it, and one below that. */
async function runningTree(): Promise<[Session, Session, Session]> {
  const first = await run(await tenant.session(agent));
  const second = await run(await below(first));
  return [first, second, await run(await below(second))];
}

const agentExits = ({ id }: Session, exitCode: number) =>
  activities.runtime.states.set(id, {
    state: 'running',
    containers: [
      { name: 'sidecar', state: 'running' },
      { name: 'agent', state: 'exited', exitCode, signal: null },
    ],
  });

async function isTerminatedByAPerson({ id }: Session): Promise<void> {
  const by = { type: 'user', id: tenant.max.id } as const;
  await requestEnding(activities.db, id, { by, status: 'terminated', reason: 'Enough', summary: null });
  await workflows().signalSession(id, sessionSignals.terminate);
}

const outcomes = async ({ id }: Session) => ({
  statuses: await activities
    .db('session_events')
    .where({ session_id: id, type: 'session.status_changed' })
    .whereRaw(`payload ->> 'to' in ('completed', 'failed', 'terminated')`)
    .pluck('payload'),
  audited: await activities
    .db('audit_events')
    .where({ session_id: id, event: 'session.ended' })
    .pluck('data'),
});

/**
 * Each has ended once, in its row, its transcript and the audit trail, and its workload
 * and its workflow with it.
 */
async function expectEndedOnce(session: Session, end: { status: string; reason: unknown }): Promise<void> {
  await sessionIs(session, { status: end.status, status_reason: end.reason });
  await eventually(async () => expect((await handleOf(session).describe()).status.name).not.toBe('RUNNING'));
  const { statuses, audited } = await outcomes(session);
  expect(statuses).toEqual([{ from: 'running', to: end.status, reason: end.reason }]);
  expect(audited).toEqual([{ status: end.status, reason: end.reason }]);
  expect(activities.runtime.states.has(session.id)).toBe(false);
}
const withItsParent = { status: 'terminated', reason: parentEnded };

const endedChildren = ({ id }: Session) =>
  activities.db('session_events').where({ session_id: id, type: 'child.ended' }).pluck('payload');

describe('the sessions below one that', () => {
  it.each<[string, (session: Session) => unknown, { status: string; reason: string }]>([
    [
      'completes',
      (session) => agentExits(session, 0),
      { status: 'completed', reason: 'The agent exited with code 0' },
    ],
    [
      'fails',
      (session) => agentExits(session, 3),
      { status: 'failed', reason: 'The agent exited with code 3' },
    ],
    ['is terminated by a person', isTerminatedByAPerson, { status: 'terminated', reason: 'Enough' }],
    [
      'is cancelled in Temporal',
      (session) => handleOf(session).cancel(),
      { status: 'terminated', reason: 'The session was cancelled' },
    ],
    [
      'is terminated in Temporal, as the next sweep finds',
      async (session) => {
        await handleOf(session).terminate('by an operator of Temporal');
        await sweep();
      },
      {
        status: 'failed',
        reason: 'The record of what this session was doing was lost, so it cannot continue',
      },
    ],
  ])('%s end with it, however deep they are', async (_how, endIt, ending) => {
    const [first, second, third] = await runningTree();
    await endIt(first);
    await expectEndedOnce(first, ending);
    await expectEndedOnce(second, withItsParent);
    await expectEndedOnce(third, withItsParent);
    const ended = (id: string) => ({ session_id: id, status: 'terminated', reason: parentEnded });
    expect(await endedChildren(first)).toEqual([ended(second.id)]);
    expect(await endedChildren(second)).toEqual([ended(third.id)]);
  });

  it('reaches a time limit end with it', async () => {
    const first = await tenant.session(
      await tenant.agent({ limits: { total_seconds: 1, idle_seconds: null } }),
    );
    const second = await run(await below(first));
    await workflows().startSession(first.id, 'a session');
    const status_reason = 'The session reached its total time limit of 1 second';
    await sessionIs(first, { status: 'terminated', status_reason });
    await expectEndedOnce(second, withItsParent);
  });

  it('is lost, while Temporal does not take signals, end by the next sweep', async () => {
    const [first, second, third] = await runningTree();
    activities.dependencies.workflows = {
      ...workflows(),
      signalSession: () => Promise.reject(new Error('unavailable')),
    };
    try {
      activities.runtime.states.delete(first.id);
      await sessionIs(first, { status: 'failed' });
      await sessionIs(second, { status: 'running' });
      await sweep();
      await expectEndedOnce(second, withItsParent);
      await sessionIs(third, { status: 'running' });
      await sweep();
      await expectEndedOnce(third, withItsParent);
    } finally {
      activities.dependencies.workflows = workflows();
    }
  });
});

it('a session whose parent ended before it was started never starts, and ends with the reason', async () => {
  const first = await run(await tenant.session(agent));
  const second = await below(first);
  agentExits(first, 0);
  await sessionIs(first, { status: 'completed' });
  await sweep();
  await sessionIs(second, { status: 'terminated', status_reason: parentEnded, started_at: null });
  const started = activities.runtime.started.map(({ configuration }) => configuration.session_id);
  expect(started).not.toContain(second.id);
});

it('a session is not ended by the end of one below it, which reaches it as one message', async () => {
  const [first, second, third] = await runningTree();
  agentExits(second, 0);
  await expectEndedOnce(second, { status: 'completed', reason: 'The agent exited with code 0' });
  await expectEndedOnce(third, withItsParent);
  await sessionIs(first, { status: 'running' });
  const told = await activities.db('session_inputs').where({ session_id: first.id }).select('kind', 'sender');
  expect(told).toMatchObject([
    { kind: 'child_ended', sender: { relation: 'child', session_id: second.id, agent: { id: agent.id } } },
  ]);
  await moveSession(activities.db, second.id, { to: 'failed', reason: 'late' });
  expect(await endedChildren(first)).toHaveLength(1);
  await isTerminatedByAPerson(first);
  await expectEndedOnce(first, { status: 'terminated', reason: 'Enough' });
});

it('a session outlives each continuation of the workflow above it, and still ends with it', async () => {
  const first = await run(await tenant.session(agent), { historyLimit: 20 });
  const second = await run(await below(first));
  const runs = new Set<string>();
  await eventually(async () => {
    await workflows().signalSession(first.id, sessionSignals.inputAvailable);
    runs.add((await handleOf(first).describe()).runId);
    expect(runs.size).toBeGreaterThan(2);
  });
  await sessionIs(first, { status: 'running' });
  await sessionIs(second, { status: 'running' });
  expect(await outcomes(second)).toEqual({ statuses: [], audited: [] });
  agentExits(first, 0);
  await expectEndedOnce(first, { status: 'completed', reason: 'The agent exited with code 0' });
  await expectEndedOnce(second, withItsParent);
});
