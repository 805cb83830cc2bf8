import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ApplicationFailure } from '@temporalio/activity';
import type { WorkflowHandle } from '@temporalio/client';
import { sessionWorkflowId } from '../../contract/workflows.ts';
import type { sessionWorkflow } from '../../workflows/index.ts';
import {
  agentEnded,
  inputAvailable,
  patchRequested,
  sessionProgress,
  sidecarReady,
  terminate,
  workloadChanged,
} from '../../workflows/messages.ts';
import { eventually } from '../support/eventually.ts';
import { startTestWorker, type TestWorker, workflowBundle } from '../support/worker.ts';
import { failOnce, ScriptedPlatform, ScriptedSession } from './scripted-activities.ts';

const platform = new ScriptedPlatform();
let worker: TestWorker;

beforeAll(async () => {
  worker = await startTestWorker({ bundle: await workflowBundle(), activities: platform.activities });
});
afterAll(() => worker.stop());

type Handle = WorkflowHandle<typeof sessionWorkflow>;

async function start(
  script: Partial<ScriptedSession> = {},
  options: { historyLimit?: number } = {},
): Promise<{ handle: Handle; session: ScriptedSession }> {
  const sessionId = randomUUID();
  const session = Object.assign(new ScriptedSession(), script);
  platform.sessions.set(sessionId, session);
  const handle = await worker.client.workflow.start<typeof sessionWorkflow>('sessionWorkflow', {
    workflowId: sessionWorkflowId(sessionId),
    taskQueue: worker.taskQueue,
    args: [{ sessionId, ...options }],
  });
  session.onChange = () => handle.signal(workloadChanged);
  return { handle, session };
}

/** A session that has reached `running`. */
async function startRunning(script: Partial<ScriptedSession> = {}, options: { historyLimit?: number } = {}) {
  const started = await start(script, options);
  await eventually(() => expect(started.session.calls).toContain('inspectWorkload'));
  await started.handle.signal(sidecarReady);
  await eventually(() => expect(started.session.calls).toContain('deliverInputs'));
  return started;
}

describe('a session that runs', () => {
  it('goes through every step in order and completes when its agent exits with 0', async () => {
    const { handle, session } = await startRunning();
    expect(await handle.query(sessionProgress)).toMatchObject({ status: 'running' });
    session.exit = { kind: 'agent_exited', exitCode: 0, signal: null };
    expect(await handle.result()).toEqual({ status: 'completed', reason: 'The agent exited with code 0' });
    expect(session.calls.filter((name) => name !== 'inspectWorkload' && name !== 'deliverInputs')).toEqual([
      'freezeConfiguration',
      'validateLaunch',
      'startWorkload',
      'started',
      'recordRunning',
      'stopWorkload',
      'listOpenRequests',
      'recordEnd',
    ]);
  });

  it('leaves steps of its launch that fail at once to the server, which tries them again', async () => {
    const failures = failOnce('freezeConfiguration', 'validateLaunch', 'recordRunning');
    const { handle, session } = await startRunning({ failures });
    expect(await handle.query(sessionProgress)).toMatchObject({ status: 'running' });
    for (const name of ['freezeConfiguration', 'validateLaunch', 'recordRunning'] as const) {
      expect(session.count(name)).toBe(2);
    }
    expect(session.count('startWorkload')).toBe(1);
    session.exit = { kind: 'agent_exited', exitCode: 0, signal: null };
    expect(await handle.result()).toMatchObject({ status: 'completed' });
  });

  it('does not wait for a step that gives no answer at once', async () => {
    const { handle, session } = await startRunning({ freezesTakeMs: [8000] });
    expect(session.count('freezeConfiguration')).toBe(2);
    session.exit = { kind: 'agent_exited', exitCode: 0, signal: null };
    expect(await handle.result()).toMatchObject({ status: 'completed' });
  });

  it.each([
    [{ kind: 'agent_exited', exitCode: 3, signal: null }, 'failed', 'The agent exited with code 3'],
    [{ kind: 'agent_exited', exitCode: null, signal: 'SIGKILL' }, 'failed', 'The agent was ended by SIGKILL'],
    [
      { kind: 'workload_lost', reason: 'its host is gone' },
      'failed',
      "The session's workload was lost: its host is gone",
    ],
    [{ kind: 'sidecar_lost' }, 'failed', 'The session ended because its sidecar was lost'],
    [{ kind: 'session_removed' }, 'terminated', 'The session was removed'],
  ] as const)('ends by %j', async (exit, status, reason) => {
    const { handle, session } = await startRunning();
    session.exit = exit;
    expect(await handle.result()).toEqual({ status, reason });
    expect(session.count('stopWorkload')).toBe(1);
  });

  it('ends as the human asked who terminated it', async () => {
    const { handle, session } = await startRunning();
    session.requestedEnding = { status: 'terminated', reason: 'Terminated by Ada Admin' };
    await handle.signal(terminate);
    expect(await handle.result()).toEqual({ status: 'terminated', reason: 'Terminated by Ada Admin' });
  });

  it('lets an agent that called end_session exit by itself, and keeps the outcome that it named', async () => {
    const { handle, session } = await startRunning();
    session.requestedEnding = { status: 'failed', reason: 'step 3 failed' };
    await handle.signal(agentEnded);
    session.exit = { kind: 'agent_exited', exitCode: 0, signal: null };
    expect(await handle.result()).toEqual({ status: 'failed', reason: 'step 3 failed' });
    const { events } = await handle.fetchHistory();
    // None has run out: it was not waited for longer than it took.
    expect(events?.filter(({ timerFiredEventAttributes }) => timerFiredEventAttributes)).toEqual([]);
  });

  it('stops an agent that called end_session and does not exit', async () => {
    const { handle, session } = await startRunning();
    session.requestedEnding = { status: 'completed', reason: 'done' };
    await handle.signal(agentEnded);
    expect(await handle.result()).toEqual({ status: 'completed', reason: 'done' });
    expect(session.count('stopWorkload')).toBe(1);
  });

  it('ends at its idle limit', async () => {
    const { handle } = await startRunning({
      limits: { startMs: 20_000, totalMs: 600_000, idleMs: 1000 },
      remainingIdleMs: 0,
    });
    expect(await handle.result()).toEqual({
      status: 'terminated',
      reason: 'Nothing happened for 1 second, the idle limit of this session',
    });
  });

  it('continues past its idle limit while the clock is paused', async () => {
    const { handle, session } = await startRunning({
      limits: { startMs: 20_000, totalMs: 600_000, idleMs: 200 },
      remainingIdleMs: 200,
    });
    await eventually(() => expect(session.count('checkIdle')).toBeGreaterThan(2));
    session.exit = { kind: 'agent_exited', exitCode: 0, signal: null };
    expect(await handle.result()).toMatchObject({ status: 'completed' });
  });

  it('ends at its total time limit', async () => {
    const { handle } = await startRunning({ limits: { startMs: 20_000, totalMs: 2000, idleMs: 600_000 } });
    expect(await handle.result()).toEqual({
      status: 'terminated',
      reason: 'The session reached its total time limit of 2 seconds',
    });
  });

  it('delivers each time that a message becomes available', async () => {
    const { handle, session } = await startRunning();
    await handle.signal(inputAvailable);
    await eventually(() => expect(session.count('deliverInputs')).toBeGreaterThan(1));
    session.exit = { kind: 'agent_exited', exitCode: 0, signal: null };
    await handle.result();
  });

  it('ends while a delivery fails', async () => {
    const { handle, session } = await startRunning();
    session.failures.set('deliverInputs', () => new Error('the sidecar does not answer'));
    await handle.signal(inputAvailable);
    await eventually(() => expect(session.count('deliverInputs')).toBeGreaterThan(2));
    session.exit = { kind: 'agent_exited', exitCode: 0, signal: null };
    expect(await handle.result()).toMatchObject({ status: 'completed' });
  });

  it('goes on where a patch cannot be made, and says so', async () => {
    const { handle, session } = await startRunning();
    session.failures.set('makePatch', () => ApplicationFailure.nonRetryable('the worker has a fault'));
    await handle.signal(patchRequested);
    await eventually(() => expect(session.calls).toContain('giveUpPatch'));
    session.failures.delete('makePatch');
    await handle.signal(patchRequested);
    await eventually(() => expect(session.count('makePatch')).toBe(2));
    session.exit = { kind: 'agent_exited', exitCode: 0, signal: null };
    expect(await handle.result()).toMatchObject({ status: 'completed' });
    expect(session.count('giveUpPatch')).toBe(1);
  });

  it('is cleaned up and recorded when its workflow is cancelled', async () => {
    const { handle, session } = await startRunning();
    await handle.cancel();
    expect(await handle.result()).toEqual({ status: 'terminated', reason: 'The session was cancelled' });
    expect(session.calls.slice(-3)).toEqual(['stopWorkload', 'listOpenRequests', 'recordEnd']);
  });

  it('is recorded as ended even when its workload cannot be stopped at the moment', async () => {
    const { handle, session } = await startRunning();
    let refusals = 2;
    session.failures.set('stopWorkload', () => {
      refusals -= 1;
      if (refusals === 0) {
        session.failures.delete('stopWorkload');
      }
      return new Error('busy');
    });
    session.exit = { kind: 'agent_exited', exitCode: 0, signal: null };
    expect(await handle.result()).toMatchObject({ status: 'completed' });
    expect(session.count('stopWorkload')).toBe(3);
  });
});

describe('the workload of a running session', () => {
  it('is looked at once after the launch, and then only after a signal that it changed', async () => {
    const { handle, session } = await startRunning();
    await handle.signal(inputAvailable);
    await eventually(() => expect(session.count('deliverInputs')).toBeGreaterThan(1));
    expect(session.count('inspectWorkload')).toBe(1);
    await handle.signal(workloadChanged);
    await eventually(() => expect(session.count('inspectWorkload')).toBe(2));
    session.exit = { kind: 'agent_exited', exitCode: 0, signal: null };
    expect(await handle.result()).toMatchObject({ status: 'completed' });
  });

  it('ends its session once, however often and late the signals come', async () => {
    const { handle, session } = await startRunning();
    session.exit = { kind: 'agent_exited', exitCode: 5, signal: null };
    await Promise.allSettled(Array.from({ length: 20 }, () => handle.signal(workloadChanged)));
    expect(await handle.result()).toEqual({ status: 'failed', reason: 'The agent exited with code 5' });
    expect(session.recorded).toHaveLength(1);
    expect(session.count('stopWorkload')).toBe(1);
  });

  it('is looked at again when a state counts that has to last, with the time for which it has lasted', async () => {
    const { handle, session } = await startRunning({ lasting: ['sidecar'], lookAgainInMs: 300 });
    await eventually(() => expect(session.looks.length).toBeGreaterThan(2));
    expect(session.looks[0]).toEqual({});
    expect(session.looks[1]?.['sidecar']).toBeGreaterThanOrEqual(300);
    expect(session.looks[2]?.['sidecar']).toBeGreaterThanOrEqual(600);
    // It is back, so that the next loss has a time of its own.
    Object.assign(session, { lasting: [], lookAgainInMs: null });
    const looked = session.looks.length;
    await eventually(() => expect(session.looks.length).toBeGreaterThan(looked));
    await handle.signal(workloadChanged);
    await eventually(() => expect(session.looks.at(-1)).toEqual({}));
    session.exit = { kind: 'sidecar_lost' };
    expect(await handle.result()).toMatchObject({ status: 'failed' });
  });
});

describe('a session that does not start', () => {
  const sentence = 'attachment "files": variable API_TOKEN needs secret FILES_TOKEN, which is not set';

  it('fails with the reason of the refusal, and starts no workload', async () => {
    const { handle, session } = await start({
      failures: new Map([
        ['validateLaunch', () => ApplicationFailure.nonRetryable(sentence, 'launch_refused')],
      ]),
    });
    expect(await handle.result()).toEqual({ status: 'failed', reason: sentence });
    expect(session.count('startWorkload')).toBe(0);
    expect(session.count('validateLaunch')).toBe(1);
    expect(session.recorded).toEqual([{ status: 'failed', reason: sentence }]);
  });

  it('never repeats the message of a technical fault', async () => {
    const { handle } = await start({
      failures: new Map([
        ['startWorkload', () => ApplicationFailure.nonRetryable('connect to secret-host failed', 'Error')],
      ]),
    });
    expect(await handle.result()).toEqual({
      status: 'failed',
      reason:
        'An internal error of the platform: the workload could not be started. The worker’s log has the cause',
    });
  });

  it('fails when its sidecar is not ready in time', async () => {
    const { handle, session } = await start({ limits: { startMs: 1000, totalMs: 60_000, idleMs: 60_000 } });
    expect(await handle.result()).toEqual({
      status: 'failed',
      reason: "The session's sidecar was not ready within 1 second",
    });
    expect(session.count('stopWorkload')).toBe(1);
  });

  it('fails at once when its workload ends before the sidecar is ready', async () => {
    const { handle } = await start({ exit: { kind: 'agent_exited', exitCode: 127, signal: null } });
    expect(await handle.result()).toEqual({
      status: 'failed',
      reason: 'The agent could not be started: its command was not found (exit code 127)',
    });
  });

  it('is stopped only after a start in progress has ended', async () => {
    const { handle, session } = await start({ startTakesMs: 1500 });
    await eventually(() => expect(session.calls).toContain('startWorkload'));
    session.requestedEnding = { status: 'terminated', reason: 'Terminated by Max Member' };
    await handle.signal(terminate);
    expect(await handle.result()).toEqual({ status: 'terminated', reason: 'Terminated by Max Member' });
    expect(session.calls.indexOf('started')).toBeGreaterThan(0);
    expect(session.calls.indexOf('stopWorkload')).toBeGreaterThan(session.calls.indexOf('started'));
  });

  it('ends with a reason when an earlier run of it was lost', async () => {
    const { handle, session } = await start({ status: 'running' });
    expect(await handle.result()).toEqual({
      status: 'failed',
      reason: 'The record of what this session was doing was lost, so it cannot continue',
    });
    expect(session.count('startWorkload')).toBe(0);
    expect(session.count('stopWorkload')).toBe(1);
  });
});

describe('a long session', () => {
  it('continues as a new run without losing a message, and does not start its workload again', async () => {
    const { handle, session } = await startRunning({}, { historyLimit: 60 });
    const first = (await handle.describe()).runId;
    const deliveries = 12;
    for (let index = 0; index < deliveries; index += 1) {
      await handle.signal(inputAvailable);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    await eventually(async () => expect((await handle.describe()).runId).not.toBe(first));
    const delivered = session.count('deliverInputs');
    await handle.signal(inputAvailable);
    await eventually(() => expect(session.count('deliverInputs')).toBeGreaterThan(delivered));
    expect(await handle.query(sessionProgress)).toMatchObject({ status: 'running' });
    // A signal may have been lost between the runs.
    await eventually(() => expect(session.count('inspectWorkload')).toBeGreaterThan(1));
    session.exit = { kind: 'agent_exited', exitCode: 0, signal: null };
    expect(await handle.result()).toMatchObject({ status: 'completed' });
    expect(session.count('startWorkload')).toBe(1);
    expect(session.count('recordEnd')).toBe(1);
  });
});

describe('the view of an operator', () => {
  it('finds the session by workspace, session and status, and reads where it is', async () => {
    const { handle, session } = await startRunning();
    const { typedSearchAttributes } = await handle.describe();
    const found = Object.fromEntries(
      typedSearchAttributes.getAll().map(({ key, value }) => [key.name, value]),
    );
    expect(found).toMatchObject({
      ...{ PlatformWorkspace: 'workspace-1', PlatformStatus: 'running' },
      PlatformSubject: 'demo/writer',
    });
    session.exit = { kind: 'agent_exited', exitCode: 1, signal: null };
    await handle.result();
    expect(await handle.query(sessionProgress)).toMatchObject({
      status: 'failed',
      step: 'The agent exited with code 1',
    });
  });
});
