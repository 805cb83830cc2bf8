/**
 * Runs whose histories are recorded, each named for what it protects. A changed
 * workflow must replay them all.
 */
import { randomUUID } from 'node:crypto';
import { ApplicationFailure } from '@temporalio/activity';
import type { Workflow } from '@temporalio/client';
import {
  authorizationWorkflowId,
  grantWorkflowId,
  mcpCheckWorkflowId,
  permissionRequestWorkflowId,
  type RequestOutcome,
  type SessionWorkflowInput,
  sessionWorkflowId,
} from '../../contract/workflows.ts';
import { eventually } from '../support/eventually.ts';
import type { TestWorker } from '../support/worker.ts';
import {
  failOnce,
  ScriptedAuthorization,
  type ScriptedPlatform,
  ScriptedRequest,
  ScriptedSession,
} from '../workflows/scripted-activities.ts';
import { messageScenarios } from './message-scenarios.ts';
import { registrationScenarios } from './registration-scenarios.ts';
import { runScenarios } from './run-scenarios.ts';
import { serviceScenarios } from './service-scenarios.ts';

export interface Stage {
  worker: TestWorker;
  platform: ScriptedPlatform;
}

/** What to fetch: a workflow id, and the run unless it is the latest. */
export interface Recorded {
  workflowId: string;
  runId?: string;
}
export type Scenario = (stage: Stage) => Promise<Recorded>;

const exited = { kind: 'agent_exited', exitCode: 0, signal: null } as const;
const approved: RequestOutcome = { status: 'approved', grantId: 'b8a1c7de-98a9-4c55-9f5f-3b1f6f6f0f01' };

function start(stage: Stage, type: string, workflowId: string, input: unknown) {
  const { client, taskQueue } = stage.worker;
  return client.workflow.start<Workflow>(type, { workflowId, taskQueue, args: [input] });
}

async function startSession(
  stage: Stage,
  script: Partial<ScriptedSession> = {},
  more: Partial<SessionWorkflowInput> = {},
) {
  const sessionId = randomUUID();
  const session = Object.assign(new ScriptedSession(), script);
  stage.platform.sessions.set(sessionId, session);
  const workflowId = sessionWorkflowId(sessionId);
  const handle = await start(stage, 'sessionWorkflow', workflowId, { sessionId, ...more });
  session.onChange = () => handle.signal('workloadChanged');
  return { handle, session, sessionId, workflowId };
}

async function startRunning(
  stage: Stage,
  script?: Partial<ScriptedSession>,
  more?: Partial<SessionWorkflowInput>,
) {
  const started = await startSession(stage, script, more);
  await eventually(() => called(started.session, 'inspectWorkload'));
  await started.handle.signal('sidecarReady');
  await eventually(() => called(started.session, 'deliverInputs'));
  return started;
}

function called(session: ScriptedSession, name: string): void {
  if (!session.calls.includes(name)) {
    throw new Error(`${name} was not called yet`);
  }
}

function scriptAuthorization({ worker, platform }: Stage, remainingMs = 600_000) {
  const authorizationId = randomUUID();
  const authorization = new ScriptedAuthorization();
  authorization.state = authorization.state && { ...authorization.state, remainingMs };
  platform.authorizations.set(authorizationId, authorization);
  const settle = async (status: 'connected' | 'expired') => {
    await eventually(() => looked(authorization));
    authorization.become(status);
    await worker.client.workflow
      .getHandle(authorizationWorkflowId(authorizationId))
      .signal('authorizationSettled');
  };
  return { authorizationId, authorization, settle };
}

function looked({ calls }: ScriptedAuthorization): void {
  if (calls.length === 0) {
    throw new Error('nothing waits for it yet');
  }
}

/** A session that waits for a sign-in. */
async function startWaiting(stage: Stage) {
  const { authorizationId, settle } = scriptAuthorization(stage);
  const started = await startSession(stage, { waitingFor: [{ authorizationId, server: 'tickets' }] });
  await eventually(() => called(started.session, 'openAuthorizations'));
  return { ...started, settle };
}

async function startAuthorization(stage: Stage, remainingMs?: number) {
  const scripted = scriptAuthorization(stage, remainingMs);
  const { authorizationId } = scripted;
  await start(stage, 'authorizationWorkflow', authorizationWorkflowId(authorizationId), { authorizationId });
  return scripted;
}

async function authorizationEnded({ worker }: Stage, authorizationId: string): Promise<Recorded> {
  const workflowId = authorizationWorkflowId(authorizationId);
  await worker.client.workflow.getHandle(workflowId).result();
  return { workflowId };
}

async function startRequest(stage: Stage, script: Partial<ScriptedRequest> = {}) {
  const requestId = randomUUID();
  const request = Object.assign(new ScriptedRequest(), { sessionId: randomUUID() }, script);
  stage.platform.requests.set(requestId, request);
  const workflowId = permissionRequestWorkflowId(requestId);
  const handle = await start(stage, 'permissionRequestWorkflow', workflowId, { requestId });
  const decide = (decision: () => Promise<RequestOutcome>) => {
    const decisionId = randomUUID();
    request.decisions.set(decisionId, decision);
    return handle.executeUpdate('decide', { args: [{ decisionId }] });
  };
  return { handle, request, workflowId, decide };
}

async function startCheck(stage: Stage, script: Partial<ScriptedSession> = {}) {
  const checkId = randomUUID();
  const check = Object.assign(new ScriptedSession(), script);
  stage.platform.sessions.set(checkId, check);
  const workflowId = mcpCheckWorkflowId(checkId);
  const handle = await start(stage, 'mcpCheckWorkflow', workflowId, { checkId });
  return { handle, check, workflowId };
}

const refuse = (type: string) => () => ApplicationFailure.nonRetryable(`refused as ${type}`, type);
const after = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** A session that runs until its agent exits. */
async function complete(stage: Stage, script?: Partial<ScriptedSession>): Promise<Recorded> {
  const { handle, session, workflowId } = await startRunning(stage, script);
  session.exit = exited;
  await handle.result();
  return { workflowId };
}

export const scenarios: Record<string, Scenario> = {
  'session-completes-when-its-agent-exits': (stage) => complete(stage),
  'session-whose-steps-at-once-failed': (stage) =>
    complete(stage, { failures: failOnce('freezeConfiguration', 'validateLaunch', 'recordRunning') }),
  'session-fails-when-its-launch-is-refused': async (stage) => {
    const failures = new Map([['validateLaunch', refuse('launch_refused')]] as const);
    const { handle, workflowId } = await startSession(stage, { failures });
    await handle.result();
    return { workflowId };
  },
  'session-waits-for-a-sign-in': async (stage) => {
    const { handle, session, workflowId, settle } = await startWaiting(stage);
    await settle('connected');
    await eventually(() => called(session, 'inspectWorkload'));
    await handle.signal('sidecarReady');
    await eventually(() => called(session, 'deliverInputs'));
    session.exit = exited;
    await handle.result();
    return { workflowId };
  },
  'session-whose-operator-does-not-sign-in': async (stage) => {
    const { handle, workflowId, settle } = await startWaiting(stage);
    await settle('expired');
    await handle.result();
    return { workflowId };
  },
  'session-terminated-while-it-waits-for-a-sign-in': async (stage) => {
    const { handle, workflowId } = await startWaiting(stage);
    await handle.signal('terminate');
    await handle.result();
    return { workflowId };
  },
  'authorization-connected': async (stage) => {
    const { authorizationId, settle } = await startAuthorization(stage);
    await settle('connected');
    return authorizationEnded(stage, authorizationId);
  },
  'authorization-expires': async (stage) => {
    const { authorizationId, authorization } = await startAuthorization(stage, 400);
    await eventually(() => looked(authorization));
    authorization.become('expired');
    return authorizationEnded(stage, authorizationId);
  },
  'session-fails-when-its-sidecar-is-not-ready': async (stage) => {
    const limits = { startMs: 500, totalMs: 60_000, idleMs: 60_000 };
    const { handle, workflowId } = await startSession(stage, { limits });
    await handle.result();
    return { workflowId };
  },
  'session-terminated-while-its-workload-starts': async (stage) => {
    const { handle, session, workflowId } = await startSession(stage, { startTakesMs: 800 });
    await eventually(() => called(session, 'startWorkload'));
    await handle.signal('terminate');
    await handle.result();
    return { workflowId };
  },
  'session-ended-by-its-agent-that-stays': async (stage) => {
    const { handle, session, workflowId } = await startRunning(stage);
    session.requestedEnding = { status: 'completed', reason: 'done' };
    await handle.signal('agentEnded');
    await handle.result();
    return { workflowId };
  },
  'session-goes-idle-after-messages': async (stage) => {
    const limits = { startMs: 20_000, totalMs: 60_000, idleMs: 400 };
    const { handle, session, workflowId } = await startRunning(stage, { limits, remainingIdleMs: 400 });
    await handle.signal('inputAvailable');
    await eventually(() => called(session, 'checkIdle'));
    session.remainingIdleMs = 0;
    await handle.result();
    return { workflowId };
  },
  'session-reaches-its-total-limit': async (stage) => {
    const limits = { startMs: 20_000, totalMs: 1500, idleMs: 60_000 };
    const { handle, workflowId } = await startRunning(stage, { limits });
    await handle.result();
    return { workflowId };
  },
  'session-workflow-is-cancelled': async (stage) => {
    const { handle, workflowId } = await startRunning(stage);
    await handle.cancel();
    await handle.result();
    return { workflowId };
  },
  'session-ends-with-an-open-request': async (stage) => {
    const { handle, session, workflowId } = await startRunning(stage);
    const open = await startRequest(stage);
    session.openRequestIds = [open.workflowId.replace(/^.*\//, ''), randomUUID()];
    session.exit = { kind: 'sidecar_lost' };
    await handle.result();
    await open.handle.result();
    return { workflowId };
  },
  'session-continues-as-a-new-run': async (stage) => {
    const { handle, session, workflowId } = await startRunning(stage, {}, { historyLimit: 50 });
    const { runId } = await handle.describe();
    while ((await handle.describe()).runId === runId) {
      await handle.signal('inputAvailable');
      await after(20);
    }
    session.exit = exited;
    await handle.result();
    return { workflowId, runId };
  },
  'session-continued-from-an-earlier-run': async (stage) => {
    const resume = {
      workspaceId: 'workspace-1',
      limits: { startMs: 20_000, totalMs: 600_000, idleMs: 600_000 },
      totalDeadlineMs: Date.now() + 600_000,
      searchAttributesKnown: true,
    };
    const { handle, session, workflowId } = await startSession(stage, {}, { resume });
    await eventually(() => called(session, 'deliverInputs'));
    session.exit = exited;
    await handle.result();
    return { workflowId };
  },
  'session-that-still-runs': async (stage) => {
    const { workflowId } = await startRunning(stage);
    return { workflowId };
  },
  'session-completes-after-a-signal-of-its-workload': async (stage) => {
    const { handle, session, workflowId } = await startRunning(stage);
    await handle.signal('workloadChanged');
    await eventually(() => {
      if (session.count('inspectWorkload') < 2) {
        throw new Error('the workload was not looked at again');
      }
    });
    session.exit = exited;
    await handle.result();
    return { workflowId };
  },
  'session-whose-sidecar-does-not-come-back': async (stage) => {
    const { handle, session, workflowId } = await startRunning(stage, {
      lasting: ['sidecar'],
      lookAgainInMs: 400,
    });
    await eventually(() => called(session, 'recordRunning'));
    await after(600);
    Object.assign(session, { lasting: [], lookAgainInMs: null, onChange: async () => undefined });
    session.exit = { kind: 'sidecar_lost' };
    await handle.result();
    return { workflowId };
  },
  'session-looked-at-once-by-a-later-run': async (stage) => {
    const resume = {
      workspaceId: 'workspace-1',
      limits: { startMs: 20_000, totalMs: 600_000, idleMs: 600_000 },
      totalDeadlineMs: Date.now() + 600_000,
      searchAttributesKnown: true,
    };
    const { handle, workflowId } = await startSession(stage, { exit: exited }, { resume });
    await handle.result();
    return { workflowId };
  },
  'request-approved': async (stage) => {
    const { handle, workflowId, decide } = await startRequest(stage);
    await decide(async () => approved);
    await handle.result();
    return { workflowId };
  },
  'request-expires': async (stage) => {
    const { handle, workflowId } = await startRequest(stage, { remainingMs: 300 });
    await handle.result();
    return { workflowId };
  },
  'request-cancelled-with-its-session': async (stage) => {
    const { handle, workflowId } = await startRequest(stage);
    await handle.signal('sessionEnded');
    await handle.result();
    return { workflowId };
  },
  'request-approved-after-an-approval-that-came-too-late': async (stage) => {
    const { handle, workflowId, decide } = await startRequest(stage);
    await decide(() => Promise.reject(refuse('approval_expired')())).catch(() => undefined);
    await decide(async () => approved);
    await handle.result();
    return { workflowId };
  },
  'request-decided-across-its-expiry': async (stage) => {
    const { handle, workflowId, decide } = await startRequest(stage, { remainingMs: 600 });
    await decide(() => after(1200).then(() => approved));
    await handle.result();
    return { workflowId };
  },
  'grant-written': async (stage) => {
    const request = new ScriptedRequest();
    const decisionId = randomUUID();
    request.decisions.set(decisionId, async () => approved);
    stage.platform.requests.set(randomUUID(), request);
    const workflowId = grantWorkflowId(randomUUID());
    await (await start(stage, 'grantWorkflow', workflowId, { decisionId })).result();
    return { workflowId };
  },
  'grant-refused': async (stage) => {
    const workflowId = grantWorkflowId(randomUUID());
    const handle = await start(stage, 'grantWorkflow', workflowId, { decisionId: randomUUID() });
    await handle.result().catch(() => undefined);
    return { workflowId };
  },
  'check-ends-when-its-tools-are-listed': async (stage) => {
    const { handle, check, workflowId } = await startCheck(stage);
    await eventually(() => called(check, 'watchCheck'));
    check.checkExit = { kind: 'ended' };
    await handle.result();
    return { workflowId };
  },
  'check-reaches-its-limit': async (stage) => {
    const limits = { startMs: 1, totalMs: 500, idleMs: 1 };
    const { handle, workflowId } = await startCheck(stage, { limits });
    await handle.result();
    return { workflowId };
  },
  'check-cancelled-while-it-starts': async (stage) => {
    const { handle, check, workflowId } = await startCheck(stage, { startTakesMs: 800 });
    await eventually(() => called(check, 'startCheck'));
    await handle.signal('cancelCheck');
    await handle.result();
    return { workflowId };
  },
  ...registrationScenarios,
  ...messageScenarios,
  ...runScenarios,
  ...serviceScenarios,
};
