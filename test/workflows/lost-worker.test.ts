import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, it } from '@jest/globals';
import { Client, Connection } from '@temporalio/client';
import { sessionWorkflowId } from '../../contract/workflows.ts';
import type { sessionWorkflow } from '../../workflows/index.ts';
import { sessionProgress, sidecarReady, workloadChanged } from '../../workflows/messages.ts';
import { eventually } from '../support/eventually.ts';
import { temporalAddress } from '../support/temporal.ts';
import { startTestWorker, type TestWorker, workflowBundle } from '../support/worker.ts';
import { ScriptedPlatform, ScriptedSession } from './scripted-activities.ts';

const program = fileURLToPath(new URL('lost-worker-program.ts', import.meta.url));
let child: ChildProcess | undefined;
let worker: TestWorker | undefined;
let connection: Connection | undefined;

afterAll(async () => {
  child?.kill('SIGKILL');
  await worker?.stop();
  await connection?.close();
});

it('continues after its worker was killed: the end of a running workload is found, and an interrupted start is retried', async () => {
  const taskQueue = `test-${randomUUID()}`;
  const [running, starting] = [randomUUID(), randomUUID()];
  child = spawn(process.execPath, ['--import', 'tsx', program, taskQueue, running, starting], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await new Promise((resolve) => child?.stdout?.once('data', resolve));
  connection = await Connection.connect({ address: temporalAddress() });
  const { workflow } = new Client({ connection });
  const start = (sessionId: string) =>
    workflow.start<typeof sessionWorkflow>('sessionWorkflow', {
      workflowId: sessionWorkflowId(sessionId),
      taskQueue,
      args: [{ sessionId }],
    });
  const [runningHandle, startingHandle] = [await start(running), await start(starting)];
  await runningHandle.signal(sidecarReady);
  await eventually(async () =>
    expect(await runningHandle.query(sessionProgress)).toMatchObject({ status: 'running' }),
  );
  await eventually(async () => {
    const { pendingActivities } = (await startingHandle.describe()).raw;
    expect(pendingActivities?.map(({ activityType }) => activityType?.name)).toEqual(['startWorkload']);
  });
  child.kill('SIGKILL');

  const platform = new ScriptedPlatform();
  const [runningScript, startingScript] = [new ScriptedSession(), new ScriptedSession()];
  platform.sessions.set(running, runningScript);
  platform.sessions.set(starting, startingScript);
  worker = await startTestWorker({
    bundle: await workflowBundle(),
    activities: platform.activities,
    taskQueue,
  });
  await eventually(() => expect(startingScript.calls).toContain('started'));
  await startingHandle.signal(sidecarReady);
  for (const [script, handle] of [
    [runningScript, runningHandle],
    [startingScript, startingHandle],
  ] as const) {
    script.exit = { kind: 'agent_exited', exitCode: 0, signal: null };
    await handle.signal(workloadChanged);
  }
  expect(await runningHandle.result()).toMatchObject({ status: 'completed' });
  expect(await startingHandle.result()).toMatchObject({ status: 'completed' });
  expect(runningScript.calls[0]).toBe('inspectWorkload');
  expect(runningScript.count('startWorkload')).toBe(0);
});

it('continues while its worker is stopped gracefully and another one takes over', async () => {
  const taskQueue = `test-${randomUUID()}`;
  const platform = new ScriptedPlatform();
  const sessionId = randomUUID();
  const session = new ScriptedSession();
  platform.sessions.set(sessionId, session);
  const options = { bundle: await workflowBundle(), activities: platform.activities, taskQueue };
  const first = await startTestWorker(options);
  const { workflowId } = await first.client.workflow.start<typeof sessionWorkflow>('sessionWorkflow', {
    workflowId: sessionWorkflowId(sessionId),
    taskQueue,
    args: [{ sessionId }],
  });
  await eventually(() => expect(session.count('inspectWorkload')).toBe(1));
  await first.client.workflow.getHandle(workflowId).signal(sidecarReady);
  await eventually(() => expect(session.calls).toContain('deliverInputs'));
  await first.stop();
  const second = await startTestWorker(options);
  const resumed = second.client.workflow.getHandle(workflowId);
  await resumed.signal(workloadChanged);
  await eventually(() => expect(session.count('inspectWorkload')).toBe(2));
  expect(session.count('stopWorkload')).toBe(0);
  session.exit = { kind: 'agent_exited', exitCode: 0, signal: null };
  await resumed.signal(workloadChanged);
  expect(await second.client.workflow.result(workflowId)).toMatchObject({ status: 'completed' });
  await second.stop();
});
