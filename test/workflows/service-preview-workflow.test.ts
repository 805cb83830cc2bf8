import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ApplicationFailure } from '@temporalio/activity';
import {
  type ServicePreviewWorkflowInput,
  servicePreviewSummary,
  servicePreviewWorkflowId,
} from '../../contract/workflows.ts';
import { createWorkflows } from '../../workflows/client.ts';
import type { servicePreviewWorkflow } from '../../workflows/index.ts';
import { serviceChanged, serviceReady } from '../../workflows/messages.ts';
import { eventually } from '../support/eventually.ts';
import { startTestWorker, type TestWorker, workflowBundle } from '../support/worker.ts';
import { ScriptedPlatform } from './scripted-activities.ts';
import { ScriptedService } from './scripted-services.ts';

const platform = new ScriptedPlatform();
let worker: TestWorker;

beforeAll(async () => {
  worker = await startTestWorker({ bundle: await workflowBundle(), activities: platform.activities });
});
afterAll(() => worker.stop());

async function start(script: Partial<ScriptedService> = {}, more: Partial<ServicePreviewWorkflowInput> = {}) {
  const previewId = randomUUID();
  const service = Object.assign(new ScriptedService(), script);
  platform.services.set(previewId, service);
  const handle = await worker.client.workflow.start<typeof servicePreviewWorkflow>('servicePreviewWorkflow', {
    workflowId: servicePreviewWorkflowId(previewId),
    taskQueue: worker.taskQueue,
    args: [{ previewId, ...more }],
  });
  return { handle, service, previewId };
}

type Started = Awaited<ReturnType<typeof start>>;

const isCalled = ({ service }: Started, name: Parameters<ScriptedService['count']>[0], times = 1) =>
  eventually(() => expect(service.count(name)).toBeGreaterThanOrEqual(times));

async function startRunning(...input: Parameters<typeof start>): Promise<Started> {
  const started = await start(...input);
  await isCalled(started, 'lookAtService', 2);
  await started.handle.signal(serviceReady);
  await isCalled(started, 'publishService');
  return started;
}

const crashed = { state: 'failed', reason: 'The service exited with code 1' } as const;
const stopped = { state: 'stopped', reason: null } as const;

/** The next look finds this; a signal makes it soon. */
async function end({ handle, service }: Started, ending: ScriptedService['ending']) {
  service.ending = ending;
  await handle.signal(serviceChanged);
  return handle.result();
}

describe('the service of a preview', () => {
  it.each([crashed, stopped])('is stopped before its end is recorded: %j', async (ending) => {
    const started = await startRunning();
    expect(await end(started, ending)).toEqual(ending);
    const { calls, recorded, looks } = started.service;
    expect(calls.filter((name) => name !== 'lookAtService')).toEqual([
      ...['freezeService', 'startService', 'started', 'publishService', 'stopService', 'recordServiceEnd'],
    ]);
    expect(recorded).toEqual(ending);
    // Before its start nothing is expected to run.
    expect(looks.at(0)).toEqual({ isStarted: false, restartingForMs: 0 });
    expect(looks.at(1)).toEqual({ isStarted: true, restartingForMs: 0 });
  });

  it('is looked at from time to time without any signal', async () => {
    const started = await startRunning({ lookAgainInMs: 100 });
    started.service.ending = crashed;
    expect(await started.handle.result()).toEqual(crashed);
  });

  it('that is not ready in time fails', async () => {
    const { handle, service } = await start({ startMs: 1000 });
    const reason = 'The gateway of the service was not ready within 1 second';
    expect(await handle.result()).toEqual({ state: 'failed', reason });
    expect(service.count('publishService')).toBe(0);
    expect(service.calls.slice(-2)).toEqual(['stopService', 'recordServiceEnd']);
  });

  it('whose gateway reported to a run that was lost does not wait for another report', async () => {
    const started = await start({ hasReported: true, startMs: 500 });
    await isCalled(started, 'publishService');
    await new Promise((resolve) => setTimeout(resolve, 800));
    expect(await end(started, stopped)).toEqual(stopped);
  });

  it('that crashes while it starts does not wait for the deadline', async () => {
    const started = await start();
    await isCalled(started, 'lookAtService', 2);
    expect(await end(started, crashed)).toEqual(crashed);
  });

  it('that is unwanted while it starts is stopped when the start has ended', async () => {
    const started = await start({ startTakesMs: 1500 });
    await isCalled(started, 'startService');
    expect(await end(started, stopped)).toEqual(stopped);
    const { calls } = started.service;
    expect(calls.indexOf('started')).toBeGreaterThan(0);
    expect(calls.indexOf('started')).toBeLessThan(calls.indexOf('stopService'));
  });

  it.each([
    [{ freezeService: false, startService: true }, 0],
    [{ freezeService: true, startService: false }, 1],
  ])('that nobody wants any more is not started: %j', async (isWanted, starts) => {
    const { handle, service } = await start({ isWanted });
    expect(await handle.result()).toEqual(stopped);
    expect(service.count('startService')).toBe(starts);
    expect(service.count('publishService')).toBe(0);
    expect(service.calls.slice(-2)).toEqual(['stopService', 'recordServiceEnd']);
  });

  it('that is refused fails with the sentence of the refusal', async () => {
    const refuse = () => ApplicationFailure.nonRetryable('This runtime cannot run it', 'launch_refused');
    const { handle } = await start({ failures: new Map([['startService', refuse]] as const) });
    expect(await handle.result()).toEqual({ state: 'failed', reason: 'This runtime cannot run it' });
  });

  it('quotes no other failure', async () => {
    const fail = () => ApplicationFailure.nonRetryable('a secret');
    const { handle } = await start({ failures: new Map([['startService', fail]] as const) });
    const reason =
      'An internal error of the platform: the service could not be started. The worker’s log has the cause';
    expect(await handle.result()).toEqual({ state: 'failed', reason });
  });

  it.each(['freezeService', 'startService', 'publishService', 'lookAtService', 'recordServiceEnd'] as const)(
    'outlives a database that does not answer to %s for a while',
    async (name) => {
      const started = await start({ lookAgainInMs: 300 });
      const { service, handle } = started;
      service.failures.set(name, () => new Error('the database does not answer'));
      if (name === 'publishService' || name === 'lookAtService') {
        await handle.signal(serviceReady);
      }
      if (name === 'recordServiceEnd') {
        service.ending = crashed;
      }
      await isCalled(started, name, 4);
      service.failures.delete(name);
      await handle.signal(serviceReady);
      if (name !== 'recordServiceEnd') {
        await isCalled(started, 'publishService');
        service.ending = crashed;
      }
      expect(await handle.result()).toEqual(crashed);
      expect(service.recorded).toEqual(crashed);
    },
  );

  it('is published again when its gateway was started again, which is given its time', async () => {
    const started = await startRunning();
    started.service.isRestarting = true;
    await started.handle.signal(serviceChanged);
    const { looks } = started.service;
    const before = looks.length;
    await eventually(() => expect(looks.length).toBeGreaterThan(before));
    await eventually(async () => {
      await started.handle.signal(serviceChanged);
      expect(looks.at(-1)?.restartingForMs).toBeGreaterThanOrEqual(250);
    });
    started.service.isRestarting = false;
    await started.handle.signal(serviceReady);
    await isCalled(started, 'publishService', 2);
    await end(started, stopped);
  });

  it('whose workflow is cancelled is stopped and recorded', async () => {
    const { handle, service } = await startRunning();
    await handle.cancel();
    expect(await handle.result()).toEqual(stopped);
    expect(service.calls.slice(-2)).toEqual(['stopService', 'recordServiceEnd']);
  });

  it('keeps the end that was recorded before', async () => {
    const started = await startRunning({ recorded: crashed });
    expect(await end(started, stopped)).toEqual(crashed);
  });

  it('goes on in a new run, which starts nothing and publishes what was reported in between', async () => {
    const started = await startRunning({}, { historyLimit: 40 });
    const { handle, service } = started;
    const { runId } = await handle.describe();
    while ((await handle.describe()).runId === runId) {
      await handle.signal(serviceChanged);
    }
    await isCalled(started, 'publishService', 2);
    expect(service.count('startService')).toBe(1);
    expect(service.looks.at(-1)).toMatchObject({ isStarted: true });
    expect(await end(started, crashed)).toEqual(crashed);
    expect(service.count('freezeService')).toBe(1);
  });
});

it('the client starts one workflow for a preview, and signals only one that runs', async () => {
  const { startServicePreview, signalServicePreview } = createWorkflows(
    worker.client.workflow,
    worker.taskQueue,
  );
  const previewId = randomUUID();
  expect(await signalServicePreview(previewId, 'serviceChanged')).toBe(false);
  const service = new ScriptedService();
  platform.services.set(previewId, service);
  await startServicePreview(previewId, servicePreviewSummary);
  await startServicePreview(previewId, servicePreviewSummary);
  await eventually(() => expect(service.count('lookAtService')).toBeGreaterThanOrEqual(2));
  service.ending = crashed;
  expect(await signalServicePreview(previewId, 'serviceChanged')).toBe(true);
  const handle = worker.client.workflow.getHandle(servicePreviewWorkflowId(previewId));
  expect(await handle.result()).toEqual(crashed);
  expect(service.count('freezeService')).toBe(1);
});
