import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ApplicationFailure } from '@temporalio/activity';
import { mcpCheckWorkflowId } from '../../contract/workflows.ts';
import type { mcpCheckWorkflow } from '../../workflows/index.ts';
import { cancelCheck } from '../../workflows/messages.ts';
import { eventually } from '../support/eventually.ts';
import { startTestWorker, type TestWorker, workflowBundle } from '../support/worker.ts';
import { ScriptedPlatform, ScriptedSession } from './scripted-activities.ts';

const platform = new ScriptedPlatform();
let worker: TestWorker;

beforeAll(async () => {
  worker = await startTestWorker({ bundle: await workflowBundle(), activities: platform.activities });
});
afterAll(() => worker.stop());

async function start(script: Partial<ScriptedSession> = {}) {
  const checkId = randomUUID();
  const check = Object.assign(new ScriptedSession(), script);
  platform.sessions.set(checkId, check);
  const handle = await worker.client.workflow.start<typeof mcpCheckWorkflow>('mcpCheckWorkflow', {
    workflowId: mcpCheckWorkflowId(checkId),
    taskQueue: worker.taskQueue,
    args: [{ checkId }],
  });
  return { handle, check };
}

async function startRunning(script: Partial<ScriptedSession> = {}) {
  const started = await start(script);
  await eventually(() => expect(started.check.calls).toContain('watchCheck'));
  return started;
}

describe('a check', () => {
  it('goes through every step in order, and is stopped before its end is recorded', async () => {
    const { handle, check } = await startRunning();
    check.checkExit = { kind: 'ended' };
    expect(await handle.result()).toEqual({ kind: 'ended' });
    expect(check.calls).toEqual([
      'freezeCheck',
      'startCheck',
      'started',
      'watchCheck',
      'stopCheck',
      'recordCheckEnd',
    ]);
    expect(check.recordedChecks).toEqual([{ kind: 'ended' }]);
  });

  it.each([
    [{ kind: 'ended' }, 'completed'],
    [{ kind: 'lost' }, 'failed'],
    [{ kind: 'unwanted', reason: 'The check was removed' }, 'cancelled'],
  ] as const)('shows an operator in Temporal how it ended: %j', async (exit, status) => {
    const { handle, check } = await startRunning();
    check.checkExit = exit;
    await handle.result();
    const { searchAttributes } = await handle.describe();
    expect(searchAttributes).toMatchObject({ PlatformStatus: [status] });
  });

  it.each([
    [{ kind: 'lost' }, { kind: 'failed', reason: 'What the check ran was lost; check again' }],
    [
      { kind: 'unwanted', reason: 'The check was removed' },
      { kind: 'cancelled', reason: 'The check was removed' },
    ],
  ] as const)('ends by %j', async (exit, expected) => {
    const { handle, check } = await startRunning();
    check.checkExit = exit;
    expect(await handle.result()).toEqual(expected);
    expect(check.count('stopCheck')).toBe(1);
  });

  it('ends at its time limit', async () => {
    const { handle, check } = await startRunning({ limits: { startMs: 1, totalMs: 1000, idleMs: 1 } });
    expect(await handle.result()).toEqual({
      kind: 'failed',
      reason: 'The server did not list its tools within 1 second',
    });
    expect(check.count('stopCheck')).toBe(1);
  });

  it('that is cancelled while it starts is stopped when the start has ended', async () => {
    const { handle, check } = await start({ startTakesMs: 800 });
    await eventually(() => expect(check.calls).toContain('startCheck'));
    await handle.signal(cancelCheck);
    expect(await handle.result()).toEqual({ kind: 'cancelled', reason: 'An admin cancelled the check' });
    expect(check.calls.indexOf('started')).toBeLessThan(check.calls.indexOf('stopCheck'));
  });

  it('whose workflow is cancelled is stopped and recorded', async () => {
    const { handle, check } = await startRunning();
    await handle.cancel();
    expect(await handle.result()).toMatchObject({ kind: 'cancelled' });
    expect(check.calls.slice(-2)).toEqual(['stopCheck', 'recordCheckEnd']);
  });

  it('that is refused fails with the sentence of the refusal', async () => {
    const refusal = () => ApplicationFailure.nonRetryable('The entry was removed', 'launch_refused');
    const { handle } = await start({ failures: new Map([['freezeCheck', refusal]] as const) });
    expect(await handle.result()).toEqual({ kind: 'failed', reason: 'The entry was removed' });
  });

  it('that an earlier run began is not run a second time', async () => {
    const { handle, check } = await start({ status: 'running' });
    expect(await handle.result()).toMatchObject({ kind: 'failed' });
    expect(check.count('startCheck')).toBe(0);
    expect(check.count('stopCheck')).toBe(1);
  });
});
