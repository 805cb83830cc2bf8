import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { authorizationWorkflowId } from '../../contract/workflows.ts';
import { createWorkflows } from '../../workflows/client.ts';
import type { authorizationWorkflow } from '../../workflows/index.ts';
import { eventually } from '../support/eventually.ts';
import { startTestWorker, type TestWorker, workflowBundle } from '../support/worker.ts';
import { ScriptedAuthorization, ScriptedPlatform } from './scripted-activities.ts';

const platform = new ScriptedPlatform();
let worker: TestWorker;

beforeAll(async () => {
  worker = await startTestWorker({ bundle: await workflowBundle(), activities: platform.activities });
});
afterAll(() => worker.stop());

const workflows = () => createWorkflows(worker.client.workflow, worker.taskQueue);
const handleOf = (id: string) =>
  worker.client.workflow.getHandle<typeof authorizationWorkflow>(authorizationWorkflowId(id));

async function start(remainingMs = 600_000) {
  const id = randomUUID();
  const authorization = new ScriptedAuthorization();
  authorization.state = authorization.state && { ...authorization.state, remainingMs };
  platform.authorizations.set(id, authorization);
  await workflows().startAuthorization(id, 'a sign-in');
  await eventually(() => expect(authorization.calls).toHaveLength(1));
  return { id, authorization };
}

describe('an authorization', () => {
  it('is over as soon as the person has signed in', async () => {
    const { id, authorization } = await start();
    authorization.become('connected');
    expect(await workflows().settleAuthorization(id)).toBe(true);
    expect(await handleOf(id).result()).toEqual({ status: 'connected' });
    expect(authorization.calls).toHaveLength(2);
    expect(await workflows().settleAuthorization(id)).toBe(false);
  });

  it('waits on after a signal that changed nothing', async () => {
    const { id, authorization } = await start();
    await workflows().settleAuthorization(id);
    await eventually(() => expect(authorization.calls).toHaveLength(2));
    authorization.become('connected');
    await workflows().settleAuthorization(id);
    expect(await handleOf(id).result()).toEqual({ status: 'connected' });
  });

  it('notices by itself when the time is over', async () => {
    const { id, authorization } = await start(300);
    authorization.become('expired');
    expect(await handleOf(id).result()).toEqual({ status: 'expired' });
  });

  it('is cancelled when its row is gone', async () => {
    const { id, authorization } = await start();
    authorization.state = null;
    await workflows().settleAuthorization(id);
    expect(await handleOf(id).result()).toEqual({ status: 'cancelled' });
  });

  it('goes on in another run before its history is too long', async () => {
    const id = randomUUID();
    const authorization = new ScriptedAuthorization();
    authorization.state = authorization.state && { ...authorization.state, remainingMs: 20 };
    platform.authorizations.set(id, authorization);
    const first = await worker.client.workflow.start<typeof authorizationWorkflow>('authorizationWorkflow', {
      workflowId: authorizationWorkflowId(id),
      taskQueue: worker.taskQueue,
      args: [{ authorizationId: id, historyLimit: 20 }],
    });
    await eventually(async () =>
      expect((await handleOf(id).describe()).runId).not.toBe(first.firstExecutionRunId),
    );
    authorization.become('connected');
    expect(await first.result()).toEqual({ status: 'connected' });
  });

  it('is started once, however often', async () => {
    const { id, authorization } = await start();
    await Promise.all([1, 2, 3].map(() => workflows().startAuthorization(id, 'a sign-in')));
    authorization.become('connected');
    await workflows().settleAuthorization(id);
    await handleOf(id).result();
    expect(authorization.calls).toHaveLength(2);
  });
});
