/**
 * Sessions end rightly, once, however unreliable the hints at their workloads are, and
 * whoever is lost meanwhile.
 */
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { signalChangedWorkloads, startLostWorkflows } from '../../../bin/worker/sweep.ts';
import { type WorkloadWatch, watchWorkloads } from '../../../bin/worker/watch-workloads.ts';
import type { Session } from '../../../contract/session.ts';
import { sessionWorkflowId } from '../../../contract/workflows.ts';
import type { ContainerState, WorkloadState } from '../../../runtime/workload.ts';
import { readSession } from '../../../store/sessions/sessions.ts';
import { createWorkspaceOf } from '../../../store/workspaces/workspace-of.ts';
import { createWorkflows, type Workflows } from '../../../workflows/client.ts';
import { createSchedules } from '../../../workflows/schedules-client.ts';
import { createTestActivities, type TestActivities } from '../../support/activities.ts';
import { startActivityWorker } from '../../support/activity-worker.ts';
import { eventually } from '../../support/eventually.ts';
import { announcedSeed, seededRandom } from '../../support/seeded-random.ts';
import type { Tenant } from '../../support/tenant.ts';
import { type Fate, withUnreliableWatch } from '../../support/unreliable-watch.ts';
import type { TestWorker } from '../../support/worker.ts';

let activities: TestActivities;
let tenant: Tenant;
let worker: TestWorker;
const watches: WorkloadWatch[] = [];
/** Of the workers, in order. */
const signals: string[] = [];

const startWorker = (options?: { taskQueue: string }) =>
  startActivityWorker(activities.dependencies, options);

beforeAll(async () => {
  activities = await createTestActivities();
  tenant = await activities.tenant();
  worker = await startWorker();
});
afterEach(() => {
  for (const watch of watches.splice(0)) {
    watch.stop();
  }
  signals.length = 0;
});
afterAll(async () => {
  await worker.stop();
  await activities.drop();
});

const workflows = (): Workflows => {
  const client = createWorkflows(worker.client.workflow, worker.taskQueue);
  return {
    ...client,
    signalSession: (id, signal) => {
      signals.push(`${signal} ${id}`);
      return client.signalSession(id, signal);
    },
  };
};

function watch(fate: Fate): WorkloadWatch {
  const runtime = withUnreliableWatch(activities.runtime, fate);
  const started = watchWorkloads({
    ...activities.dependencies,
    workspaceOf: createWorkspaceOf(activities.db),
    runtime,
    workflows: workflows(),
  });
  watches.push(started);
  return started;
}

const sweeping = (workloads: WorkloadWatch) => ({
  dependencies: activities.dependencies,
  workflows: workflows(),
  workloads,
  outputKeptSeconds: 3600,
  checkKeptSeconds: 3600,
  refusedCallKeptSeconds: 3600,
  channelMessagesKeptSeconds: 3600,
  scheduleRunsKeptSeconds: 3600,
  schedules: createSchedules(worker.client.schedule, worker.taskQueue),
});

const sessionIs = (id: string, expected: object) =>
  eventually(async () => expect(await readSession(activities.db, id)).toMatchObject(expected));

async function startRunning(count: number, workloads: WorkloadWatch): Promise<Session[]> {
  const agent = await tenant.agent();
  const sessions = await Promise.all(Array.from({ length: count }, () => tenant.session(agent)));
  await startLostWorkflows(sweeping(workloads));
  for (const { id } of sessions) {
    await sessionIs(id, { status: 'starting' });
    await worker.client.workflow.getHandle(sessionWorkflowId(id)).signal('sidecarReady');
    await sessionIs(id, { status: 'running' });
  }
  // The look after the launch is over, so that only hints and sweeps lead to another.
  await eventually(async () => {
    for (const { id } of sessions) {
      const { events } = await worker.client.workflow.getHandle(sessionWorkflowId(id)).fetchHistory();
      const looks = (events ?? []).filter(
        (event) => event.activityTaskScheduledEventAttributes?.activityType?.name === 'inspectWorkload',
      );
      expect(looks).toHaveLength(1);
    }
  });
  return sessions;
}

const exited = (name: string, exitCode: number): ContainerState => ({
  ...{ name, state: 'exited', signal: null },
  exitCode,
});
const sidecar = { name: 'sidecar', state: 'running' } as const;
const ends: [WorkloadState, object][] = [
  [
    { state: 'running', containers: [sidecar, exited('agent', 0)] },
    { status: 'completed', status_reason: 'The agent exited with code 0' },
  ],
  [
    { state: 'running', containers: [sidecar, exited('agent', 3)] },
    { status: 'failed', status_reason: 'The agent exited with code 3' },
  ],
  [
    { state: 'lost', reason: 'its host is gone' },
    { status: 'failed', status_reason: "The session's workload was lost: its host is gone" },
  ],
];

/** How often each session was moved to an end. */
async function endings(ids: string[]): Promise<number[]> {
  const events = await activities
    .db('session_events')
    .whereIn('session_id', ids)
    .where({ type: 'session.status_changed' })
    .whereRaw(`payload->>'to' in ('completed', 'failed', 'terminated')`)
    .select('session_id');
  return ids.map((id) => events.filter(({ session_id }) => session_id === id).length);
}

/** The end of the session with this index. */
const endOf = (index: number) => ends[index % ends.length] as (typeof ends)[0];

const random = seededRandom(announcedSeed('hints', 'HINTS_SEED'));
const fates: [string, Fate][] = [
  ['in time', () => [0]],
  ['never', () => []],
  ['four times', () => [0, 0, 40, 400]],
  ['late', () => [1500]],
  ['as they like', () => Array.from({ length: random.below(4) }, () => random.below(1500))],
];

describe('sessions whose hints come', () => {
  it.each(fates)('%s: each ends rightly, once, and the one that is well goes on', async (_how, fate) => {
    const workloads = watch(fate);
    const sessions = await startRunning(ends.length * 2 + 1, workloads);
    const [well, ...ending] = sessions.map(({ id }) => id);
    for (const [index, id] of ending.entries()) {
      activities.runtime.states.set(id, endOf(index)[0]);
    }
    await new Promise((resolve) => setTimeout(resolve, 2000));
    await signalChangedWorkloads(sweeping(workloads));
    for (const [index, id] of ending.entries()) {
      await sessionIs(id, endOf(index)[1]);
    }
    expect(await endings(ending)).toEqual(ending.map(() => 1));
    expect(activities.runtime.stopped.filter((id) => ending.includes(id))).toHaveLength(ending.length);
    expect(await readSession(activities.db, well ?? '')).toMatchObject({ status: 'running' });
    expect(signals.filter((signal) => signal.includes(well ?? ''))).toEqual([]);
    activities.runtime.states.set(well ?? '', endOf(0)[0]);
    await signalChangedWorkloads(sweeping(workloads));
    await sessionIs(well ?? '', { status: 'completed' });
  });
});

it('a session whose agent exits before its workload is watched ends at once', async () => {
  const { start } = activities.runtime;
  const runtime = activities.runtime;
  runtime.start = async (...input) => {
    await start.call(runtime, ...input);
    runtime.states.set(input[0].session_id, endOf(0)[0]);
  };
  try {
    const { id } = await tenant.session(await tenant.agent());
    await startLostWorkflows(sweeping(watch(() => [])));
    await sessionIs(id, { status: 'completed' });
  } finally {
    Object.assign(runtime, { start });
  }
});

it('sessions whose agents exit while there is no worker end when there is one again', async () => {
  const sessions = await startRunning(
    3,
    watch(() => [0]),
  );
  const { taskQueue } = worker;
  await worker.stop();
  for (const stopped of watches.splice(0)) {
    stopped.stop();
  }
  for (const [index, { id }] of sessions.entries()) {
    activities.runtime.states.set(id, endOf(index)[0]);
  }
  worker = await startWorker({ taskQueue });
  watch(() => [0]);
  for (const [index, { id }] of sessions.entries()) {
    await sessionIs(id, endOf(index)[1]);
  }
  expect(await endings(sessions.map(({ id }) => id))).toEqual([1, 1, 1]);
});

describe('the sweep, without any hint', () => {
  it('signals nobody while all is well', async () => {
    const workloads = watch(() => []);
    const [session] = await startRunning(1, workloads);
    await signalChangedWorkloads(sweeping(workloads));
    await startLostWorkflows(sweeping(workloads), { trustsList: true });
    expect(signals.filter((signal) => signal.includes(session?.id ?? ''))).toEqual([]);
    activities.runtime.states.delete(session?.id ?? '');
    await signalChangedWorkloads(sweeping(workloads));
    await sessionIs(session?.id ?? '', { status: 'failed' });
  });

  it('ends a session whose sidecar reports to a former address of the API', async () => {
    const workloads = watch(() => []);
    const [session] = await startRunning(1, workloads);
    const before = activities.dependencies.internalApiUrl;
    activities.dependencies.internalApiUrl = 'http://127.0.0.1:2';
    try {
      await signalChangedWorkloads(sweeping(workloads));
      await sessionIs(session?.id ?? '', {
        status: 'failed',
        status_reason: `The session's workload was lost: it reports to ${before}, and the API is at http://127.0.0.1:2 now; start a new session`,
      });
    } finally {
      activities.dependencies.internalApiUrl = before;
    }
  });

  it('signals no session when the address of the API is only written in another way', async () => {
    const workloads = watch(() => []);
    const [session] = await startRunning(1, workloads);
    const id = session?.id ?? '';
    const before = activities.dependencies.internalApiUrl;
    activities.dependencies.internalApiUrl = `${before.replace('http:', 'HTTP:')}/`;
    try {
      await signalChangedWorkloads(sweeping(workloads));
      expect(signals.filter((signal) => signal.includes(id))).toEqual([]);
    } finally {
      activities.dependencies.internalApiUrl = before;
    }
    activities.runtime.states.delete(id);
    await signalChangedWorkloads(sweeping(workloads));
    await sessionIs(id, { status: 'failed' });
  });

  it('ends the workflow of a session that was removed', async () => {
    const workloads = watch(() => []);
    const [session] = await startRunning(1, workloads);
    const id = session?.id ?? '';
    await activities.db('sessions').where({ id }).delete();
    const handle = worker.client.workflow.getHandle(sessionWorkflowId(id));
    // Temporal lists a workflow some time after it started.
    await eventually(async () => {
      await startLostWorkflows(sweeping(workloads), { trustsList: true });
      expect(signals).toContain(`workloadChanged ${id}`);
    });
    expect(await handle.result()).toEqual({ status: 'terminated', reason: 'The session was removed' });
    expect(activities.runtime.stopped).toContain(id);
  });

  it('starts no workflow that Temporal lists as running', async () => {
    const workloads = watch(() => []);
    const [session] = await startRunning(1, workloads);
    const started: string[] = [];
    const counting = {
      ...sweeping(workloads),
      workflows: {
        ...workflows(),
        startSession: async (id: string) => {
          started.push(id);
        },
      },
    };
    await startLostWorkflows(counting);
    expect(started).toContain(session?.id);
    await eventually(async () => {
      started.length = 0;
      await startLostWorkflows(counting, { trustsList: true });
      expect(started).toEqual([]);
    });
  });

  it('starts a session whose start was lost, and signals nobody for it, while Temporal does not list what runs', async () => {
    const workloads = watch(() => []);
    const [removed] = await startRunning(1, workloads);
    await activities
      .db('sessions')
      .where({ id: removed?.id ?? '' })
      .delete();
    const { id } = await tenant.session(await tenant.agent());
    const listRunning = () => Promise.reject(new Error('the visibility store does not answer'));
    await startLostWorkflows(
      { ...sweeping(workloads), workflows: { ...workflows(), listRunning } },
      { trustsList: true },
    );
    await sessionIs(id, { status: 'starting' });
    expect(signals).toEqual([]);
  });
});
