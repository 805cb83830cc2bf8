/** One permission request until it is closed with exactly one outcome. */

import {
  allHandlersFinished,
  CancellationScope,
  condition,
  getExternalWorkflowHandle,
  isCancellation,
  setHandler,
} from '@temporalio/workflow';
import { alreadyDecidedSentence } from '../contract/sentences.ts';
import {
  type PermissionRequestWorkflowInput,
  type RequestOutcome,
  sessionWorkflowId,
} from '../contract/workflows.ts';
import { decide, inputAvailable, requestProgress, sessionEnded } from './messages.ts';
import { refusal, unwrapRefusal } from './refusals.ts';
import * as steps from './steps.ts';
import { showOwner, showProgress } from './visibility.ts';

class RequestState {
  outcome: RequestOutcome | null = null;
  /** The session ended, or this workflow was cancelled: an answer is no longer needed. */
  abandoned = false;
  /** A decision is being carried out. */
  deciding = false;
  /** The platform is closing the request without a human. */
  closing = false;
}

/**
 * Waits for a human, the expiry or the session's end. In a race the database decides, and its outcome is
 * returned: a timeout is never reported as a denial.
 */
export async function permissionRequestWorkflow({
  requestId,
}: PermissionRequestWorkflowInput): Promise<RequestOutcome> {
  const state = setUp(requestId);
  const request = await CancellationScope.nonCancellable(() => steps.readRequest({ requestId }));
  if (request === null) {
    await condition(allHandlersFinished);
    return { status: 'cancelled', grantId: null };
  }
  showOwner(request);
  showProgress('open', `Waiting for a human until ${request.expiresAt}`, request.searchAttributesKnown);
  await untilDecided(state, request.remainingMs);
  return CancellationScope.nonCancellable(async () => {
    const outcome = await close(state, requestId);
    showProgress(outcome.status, `The request is ${outcome.status}`, request.searchAttributesKnown);
    await tellSession(request.sessionId);
    await condition(allHandlersFinished);
    return outcome;
  });
}

function setUp(requestId: string): RequestState {
  const state = new RequestState();
  setHandler(sessionEnded, () => {
    state.abandoned = true;
  });
  setHandler(requestProgress, () => ({ status: state.outcome?.status ?? 'open' }), {
    description: 'Whether the request is still open',
  });
  setHandler(decide, ({ decisionId }) => carryOut(state, { decisionId, requestId }), {
    validator: (_decision) => refuseWhenClosed(state),
    description: "Carries a human's stored decision out",
  });
  return state;
}

async function untilDecided(state: RequestState, remainingMs: number): Promise<void> {
  try {
    await condition(() => state.outcome !== null || state.abandoned, Math.max(1, remainingMs), {
      summary: 'The request expires',
    });
  } catch (error) {
    if (!isCancellation(error)) {
      throw error;
    }
    state.abandoned = true;
  }
}

/** Waits for a decision that came first; when it fails, closes the request after all. */
async function close(state: RequestState, requestId: string): Promise<RequestOutcome> {
  while (state.deciding) {
    await condition(() => !state.deciding);
  }
  if (state.outcome === null) {
    state.closing = true;
    const status = state.abandoned ? 'cancelled' : 'expired';
    state.outcome = await steps.closeRequest({ requestId, status });
  }
  return state.outcome;
}

/** One decision at a time. A decision that fails leaves the request open for another. */
async function carryOut(
  state: RequestState,
  decision: { decisionId: string; requestId: string },
): Promise<RequestOutcome> {
  while (state.deciding) {
    await condition(() => !state.deciding);
  }
  refuseWhenClosed(state);
  state.deciding = true;
  try {
    const outcome = await CancellationScope.nonCancellable(() => steps.carryOutDecision(decision));
    state.outcome = outcome;
    return outcome;
  } catch (error) {
    throw unwrapRefusal(error);
  } finally {
    state.deciding = false;
  }
}

function refuseWhenClosed(state: RequestState): void {
  if (state.outcome !== null || state.closing) {
    throw refusal(alreadyDecidedSentence(), 'already_decided');
  }
}

/** The outcome waits in the session's inputs; an ended session needs none. */
async function tellSession(sessionId: string): Promise<void> {
  await getExternalWorkflowHandle(sessionWorkflowId(sessionId))
    .signal(inputAvailable)
    .catch(() => undefined);
}
