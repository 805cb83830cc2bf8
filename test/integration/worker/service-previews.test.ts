/** Services of previews go on, and end rightly, whoever is lost meanwhile. */
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from '@jest/globals';
import { startLostWorkflows, sweepParts } from '../../../bin/worker/sweep.ts';
import { type WorkloadWatch, watchWorkloads } from '../../../bin/worker/watch-workloads.ts';
import type { Session } from '../../../contract/session.ts';
import { servicePreviewWorkflowId } from '../../../contract/workflows.ts';
import { setReportedUrl } from '../../../store/previews/services.ts';
import { createWorkspaceOf } from '../../../store/workspaces/workspace-of.ts';
import { createWorkflows } from '../../../workflows/client.ts';
import { serviceReady } from '../../../workflows/messages.ts';
import { createSchedules } from '../../../workflows/schedules-client.ts';
import { createTestActivities, type TestActivities } from '../../support/activities.ts';
import { startActivityWorker } from '../../support/activity-worker.ts';
import { eventually } from '../../support/eventually.ts';
import { agentWithServices, deployService } from '../../support/service-previews.ts';
import type { Tenant } from '../../support/tenant.ts';
import type { TestWorker } from '../../support/worker.ts';

let activities: TestActivities;
let tenant: Tenant;
let session: Session;
let worker: TestWorker;
let watch: WorkloadWatch | null = null;

const startWorker = (options?: { taskQueue: string }) =>
  startActivityWorker(activities.dependencies, options);

beforeAll(async () => {
  activities = await createTestActivities();
  tenant = await activities.tenant();
  worker = await startWorker();
});
beforeEach(async () => {
  session = await tenant.session(await tenant.agent(agentWithServices()));
  await activities.run('freezeConfiguration', { sessionId: session.id });
});
afterEach(stopWatching);
afterAll(async () => {
  await worker.stop();
  await activities.drop();
});

function stopWatching(): void {
  watch?.stop();
  watch = null;
}

const workflows = () => createWorkflows(worker.client.workflow, worker.taskQueue);
const startWatching = () => {
  watch = watchWorkloads({
    ...activities.dependencies,
    workspaceOf: createWorkspaceOf(activities.db),
    workflows: workflows(),
  });
};
const sweeping = () => ({
  dependencies: activities.dependencies,
  workflows: workflows(),
  workloads: { lookAtAll: async () => undefined },
  ...{ outputKeptSeconds: 3600, checkKeptSeconds: 3600 },
  ...{ refusedCallKeptSeconds: 3600, channelMessagesKeptSeconds: 3600, scheduleRunsKeptSeconds: 3600 },
  schedules: createSchedules(worker.client.schedule, worker.taskQueue),
});
const sweep = () => startLostWorkflows(sweeping());
const handleOf = (id: string) => worker.client.workflow.getHandle(servicePreviewWorkflowId(id));
const rowIs = (id: string, expected: object) =>
  eventually(async () =>
    expect(await activities.db('preview_services').where({ preview_id: id }).first()).toMatchObject(expected),
  );

/** Stored by an API that died before it began the workflow. */
async function running(): Promise<string> {
  const id = await deployService(activities.db, session, 'web');
  await sweep();
  await rowIs(id, { state: 'starting' });
  await setReportedUrl(activities.db, id, 'http://127.0.0.1:4321');
  await handleOf(id).signal(serviceReady);
  await rowIs(id, { state: 'running', address: 'http://127.0.0.1:4321' });
  return id;
}

const startsOf = (id: string) =>
  activities.runtime.started.filter(({ configuration }) => configuration.session_id === id);
const crash = (id: string) =>
  activities.runtime.states.set(id, {
    state: 'running',
    containers: [
      { name: 'sidecar', state: 'running' },
      { name: 'agent', state: 'exited', exitCode: 3, signal: null },
    ],
  });
const crashed = { state: 'failed', reason: 'The service exited with code 3', address: null };

it('a service that the API stored and did not begin is begun by a worker, once', async () => {
  const id = await running();
  await sweep();
  expect(startsOf(id)).toHaveLength(1);
  startWatching();
  crash(id);
  await rowIs(id, crashed);
  expect(activities.runtime.stopped).toContain(id);
});

it('a service that crashes while there is no worker ends when there is one again', async () => {
  const id = await running();
  const { taskQueue } = worker;
  await worker.stop();
  crash(id);
  worker = await startWorker({ taskQueue });
  startWatching();
  await rowIs(id, crashed);
});

it('a service whose workflow Temporal lost goes on, and ends rightly', async () => {
  const id = await running();
  await handleOf(id).terminate('lost');
  await sweep();
  // Which does nothing to a workload that runs.
  await eventually(() => expect(startsOf(id)).toHaveLength(2));
  await rowIs(id, { state: 'running', address: 'http://127.0.0.1:4321' });
  startWatching();
  crash(id);
  await rowIs(id, crashed);
});

it('a service whose preview expires is stopped by the sweep that ends it', async () => {
  const id = await running();
  const inThePast = new Date(Date.now() - 1).toISOString();
  await activities.db('previews').where({ id }).update({ expires_at: inThePast });
  await sweepParts(sweeping())['end expired previews']?.(0, new AbortController().signal);
  await rowIs(id, { state: 'stopped', reason: null });
  expect(await handleOf(id).result()).toEqual({ state: 'stopped', reason: null });
});

it('a service whose preview was removed is stopped without a row', async () => {
  const id = await running();
  await activities.db('previews').where({ id }).delete();
  await workflows().signalServicePreview(id, 'serviceChanged');
  expect(await handleOf(id).result()).toEqual({ state: 'stopped', reason: null });
  expect(activities.runtime.stopped).toContain(id);
});
