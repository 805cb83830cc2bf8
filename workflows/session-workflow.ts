/**
 * A session from its start to its recorded end (docs/sessions.md#workflows): launch, until ready, the
 * first of its endings, finish.
 */
import {
  ActivityFailure,
  CancellationScope,
  condition,
  continueAsNew,
  executeChild,
  getExternalWorkflowHandle,
  isCancellation,
  sleep,
  workflowInfo,
} from '@temporalio/workflow';
import type { WaitingFor } from '../activities/authorizations/authorizations.ts';
import {
  type AuthorizationOutcome,
  authorizationSummary,
  authorizationWorkflowContract,
  permissionRequestWorkflowId,
  type SessionEnding,
  type SessionResume,
  type SessionWorkflowInput,
  type WorkflowOf,
} from '../contract/workflows.ts';
import { firstEnding, stopOrLeaveToSweep } from './first-ending.ts';
import { sessionEnded } from './messages.ts';
import {
  endingOfFailure,
  endingOfWorkload,
  endRequested,
  idleTooLong,
  notReadyInTime,
  notSignedInInTime,
  ranTooLong,
  runWasLost,
  signInCancelled,
} from './session-endings.ts';
import { type SessionState, setUpSession } from './session-state.ts';
import * as steps from './steps.ts';
import { workloadExit } from './workload-end.ts';

/** Keeps a run under 4 % of the server's limit of 51,200 events. */
const defaultHistoryLimit = 2000;
/** Grace period for the agent to finish by itself after `end_session`. */
const agentExitGrace = '5 seconds';
/** Min interval of idle checks. */
const shortestIdleCheckMs = 1000;

type Continuation = { continueWith: SessionResume };

interface Run {
  session: SessionResume;
  historyLimit: number | undefined;
  /** Resolves to null once the session runs. */
  ready: Promise<SessionEnding | null>;
}

/**
 * Runs one session. Returns how it ended, after the workload is stopped and the end is recorded; a launch
 * that fails is an ending.
 */
export async function sessionWorkflow(input: SessionWorkflowInput): Promise<SessionEnding> {
  const state = setUpSession(input);
  const result = await firstEnding(
    () => live(state, input),
    () => requestedEnd(state),
    endingOfFailure,
  );
  // A cancellation that came at the same moment is not left behind in the run before.
  const isCancelled = CancellationScope.current().consideredCancelled;
  if ('continueWith' in result && !isCancelled) {
    return continueAsNew<typeof sessionWorkflow>({ ...input, resume: result.continueWith });
  }
  const observed = 'continueWith' in result ? endRequested : result;
  return CancellationScope.nonCancellable(() => finish(state, observed));
}

async function live(state: SessionState, input: SessionWorkflowInput): Promise<SessionEnding | Continuation> {
  const { resume, historyLimit } = input;
  if (resume !== undefined) {
    return runUntilEnd(state, { session: resume, historyLimit, ready: resumeRunning(state, resume) });
  }
  const launched = await launch(state);
  if ('reason' in launched) {
    return launched;
  }
  const ready = untilReady(state, launched);
  return runUntilEnd(state, { session: launched, historyLimit, ready });
}

async function runUntilEnd(
  state: SessionState,
  { session, historyLimit = defaultHistoryLimit, ready }: Run,
): Promise<SessionEnding | Continuation> {
  const atAnyTime = [workloadEnd(state), totalLimit(session)];
  const endedBefore = await Promise.race([ready, ...atAnyTime]);
  if (endedBefore !== null) {
    return endedBefore;
  }
  return Promise.race([
    ...atAnyTime,
    deliverMessages(state),
    makePatches(state),
    idleLimit(state, session.limits.idleMs),
    historyFull(state, historyLimit).then(() => ({ continueWith: session })),
  ]);
}

/** An ending when it was refused, nobody signed in, or an earlier run of this session was lost. */
async function launch(state: SessionState): Promise<SessionResume | SessionEnding> {
  const { sessionId } = state;
  const { status, ...frozen } = await steps.freezeConfiguration({ sessionId });
  state.belongsTo(frozen);
  if (status !== 'pending') {
    return runWasLost;
  }
  state.show('validating', 'Checking attachments, secrets and grants');
  const { needsSignIn } = await steps.validateLaunch({ sessionId });
  const ending = needsSignIn ? await untilSignedIn(state) : null;
  if (ending !== null) {
    return ending;
  }
  state.show('starting', 'Starting the workload');
  await steps.startWorkload({ sessionId });
  return { ...frozen, totalDeadlineMs: Date.now() + frozen.limits.totalMs };
}

/** Null once the operator is signed in to every remote server. */
async function untilSignedIn(state: SessionState): Promise<SessionEnding | null> {
  const { waitingFor } = await steps.openAuthorizations({ sessionId: state.sessionId });
  if (waitingFor.length > 0) {
    const servers = waitingFor.map(({ server }) => server);
    state.show('awaiting_authorization', `Waiting until the operator signs in to ${servers.join(', ')}`);
  }
  const outcomes = await Promise.all(waitingFor.map(signIn));
  const thatAre = (status: AuthorizationOutcome['status']) =>
    waitingFor.flatMap(({ server }, at) => (outcomes[at]?.status === status ? [server] : []));
  const [cancelled, expired] = [thatAre('cancelled'), thatAre('expired')];
  if (cancelled.length > 0) {
    return signInCancelled(cancelled);
  }
  return expired.length > 0 ? notSignedInInTime(expired) : null;
}

/** Returns how it ended. */
const signIn = ({ authorizationId }: WaitingFor): Promise<AuthorizationOutcome> =>
  executeChild<WorkflowOf<typeof authorizationWorkflowContract>>(authorizationWorkflowContract.type, {
    workflowId: authorizationWorkflowContract.id(authorizationId),
    args: [{ authorizationId }],
    staticSummary: authorizationSummary,
    parentClosePolicy: 'REQUEST_CANCEL',
  });

/** Null once the session runs. */
async function untilReady(state: SessionState, { limits }: SessionResume): Promise<SessionEnding | null> {
  state.show('starting', 'Waiting for the sidecar');
  const ready = await condition(() => state.ready, limits.startMs, { summary: 'Wait for the sidecar' });
  if (!ready) {
    return notReadyInTime(limits.startMs);
  }
  await steps.recordRunning({ sessionId: state.sessionId });
  state.show('running', 'The agent is at work');
  return null;
}

/** A later run of the same session: the workload is there, and messages may have come in between. */
async function resumeRunning(state: SessionState, resume: SessionResume): Promise<null> {
  state.ready = true;
  state.inputsWaiting = true;
  state.belongsTo(resume);
  state.show('running', 'The agent is at work');
  return null;
}

async function workloadEnd(state: SessionState): Promise<SessionEnding> {
  return endingOfWorkload(await workloadExit(state));
}

async function totalLimit({ limits, totalDeadlineMs }: SessionResume): Promise<SessionEnding> {
  await sleep(Math.max(1, totalDeadlineMs - Date.now()), { summary: 'Total time limit' });
  return ranTooLong(limits.totalMs);
}

async function idleLimit({ sessionId }: SessionState, idleMs: number): Promise<SessionEnding> {
  let waitMs = idleMs;
  while (true) {
    await sleep(waitMs, { summary: 'Idle time limit' });
    const { remainingMs } = await steps.checkIdle({ sessionId, idleMs });
    if (remainingMs <= 0) {
      return idleTooLong(idleMs);
    }
    waitMs = Math.max(shortestIdleCheckMs, remainingMs);
  }
}

async function deliverMessages(state: SessionState): Promise<never> {
  while (true) {
    await condition(() => state.inputsWaiting);
    state.inputsWaiting = false;
    await steps.deliverInputs({ sessionId: state.sessionId });
  }
}

/** The session goes on whatever becomes of it; a request that is lost is told again by the sweep. */
async function makePatches(state: SessionState): Promise<never> {
  const { sessionId } = state;
  while (true) {
    await condition(() => state.patchRequested);
    state.patchRequested = false;
    state.patchIsMade = true;
    await steps.makePatch({ sessionId }).catch((error: unknown) => {
      if (isCancellation(error) || !(error instanceof ActivityFailure)) {
        throw error;
      }
      return steps.giveUpPatch({ sessionId });
    });
    state.patchIsMade = false;
  }
}

/** A patch is waited for, up to twice the limit: one that is left then is told again by the sweep. */
async function historyFull(state: SessionState, limit: number): Promise<void> {
  await condition(() => {
    const { continueAsNewSuggested, historyLength } = workflowInfo();
    const isLeft = historyLength > 2 * limit || !(state.patchRequested || state.patchIsMade);
    return !state.endRequested && isLeft && (continueAsNewSuggested || historyLength > limit);
  });
}

/** Who asked, and for what, is on the session's row; the signals carry neither. */
async function requestedEnd(state: SessionState): Promise<SessionEnding> {
  await condition(() => state.endRequested);
  if (!state.terminateRequested) {
    await condition(() => state.terminateRequested, agentExitGrace, {
      summary: 'Let the agent exit by itself',
    });
  }
  return endRequested;
}

async function finish(state: SessionState, observed: SessionEnding): Promise<SessionEnding> {
  const { sessionId } = state;
  state.show('ending', observed.reason);
  await stopOrLeaveToSweep(() => steps.stopWorkload({ sessionId }), { sessionId });
  const { requestIds } = await steps.listOpenRequests({ sessionId });
  const ending = await steps.recordEnd({ sessionId, observed });
  await Promise.all(requestIds.map(tellRequest));
  state.show(ending.status, ending.reason);
  return ending;
}

/** The request is closed already; its workflow may have ended as well. */
async function tellRequest(requestId: string): Promise<void> {
  await getExternalWorkflowHandle(permissionRequestWorkflowId(requestId))
    .signal(sessionEnded)
    .catch(() => undefined);
}
