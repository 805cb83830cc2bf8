/**
 * The service of one preview: its workload starts, is published once its gateway listens, and is always
 * removed again. Nothing here says that it must end: signals are hints, and a look at its preview, its
 * session and its workload decides.
 */
import {
  CancellationScope,
  condition,
  continueAsNew,
  isCancellation,
  setHandler,
  workflowInfo,
} from '@temporalio/workflow';
import type { ServiceEnding, ServicePreviewWorkflowInput } from '../contract/workflows.ts';
import { firstEnding, stopOrLeaveToSweep } from './first-ending.ts';
import { serviceChanged, serviceReady } from './messages.ts';
import { endingOfFailure, readable } from './session-endings.ts';
import * as steps from './steps.ts';
import { showOwner, showProgress } from './visibility.ts';

/** About an hour of looks. */
const defaultHistoryLimit = 2000;
/** However a change was missed, it is noticed within this time. */
const longestLookMs = 20_000;
/** So that no rounding of times makes a busy loop. */
const shortestLookMs = 500;

const stopped: ServiceEnding = { state: 'stopped', reason: null };
const failed = (reason: string): ServiceEnding => ({ state: 'failed', reason });

/** Handlers only set flags here. */
class ServiceState {
  readonly previewId: string;
  /** Its workload was started, so that one that is not there has been lost. */
  isStarted: boolean;
  /** Its gateway has reported where it listens, and that is not published yet. */
  isReady: boolean;
  hasChanged = false;
  searchAttributesKnown: boolean;

  constructor({ previewId, isStarted, searchAttributesKnown }: ServicePreviewWorkflowInput) {
    this.previewId = previewId;
    this.isStarted = isStarted === true;
    this.isReady = this.isStarted;
    this.searchAttributesKnown = searchAttributesKnown === true;
  }

  show(status: string, sentence: string): void {
    showProgress(status, sentence, this.searchAttributesKnown);
  }
}

/**
 * Runs the service of one preview. Returns how it ended, after it is stopped and its end is recorded; a
 * launch that fails is an end.
 */
export async function servicePreviewWorkflow(input: ServicePreviewWorkflowInput): Promise<ServiceEnding> {
  const state = new ServiceState(input);
  setHandler(serviceReady, () => {
    state.isReady = true;
  });
  setHandler(serviceChanged, () => {
    state.hasChanged = true;
  });
  const result = await firstEnding(
    () => live(state, input),
    () => endFound(state),
    endOfFailure,
  );
  if (result === 'continue') {
    return continueAsNew<typeof servicePreviewWorkflow>({
      ...input,
      isStarted: true,
      searchAttributesKnown: state.searchAttributesKnown,
    });
  }
  return CancellationScope.nonCancellable(() => finish(state, result));
}

const endOfFailure = (error: unknown): ServiceEnding =>
  isCancellation(error) ? stopped : failed(endingOfFailure(error).reason);

async function live(
  state: ServiceState,
  { historyLimit = defaultHistoryLimit }: ServicePreviewWorkflowInput,
): Promise<ServiceEnding | 'continue'> {
  const ending = state.isStarted ? null : await launch(state);
  if (ending !== null) {
    return ending;
  }
  await publish(state);
  return Promise.race([publishAgain(state), historyFull(historyLimit)]);
}

async function publish(state: ServiceState): Promise<void> {
  state.isReady = false;
  await steps.publishService({ previewId: state.previewId });
  state.show('running', 'The service is asked by those who have the preview open');
}

/** A gateway that was started again reports again where it listens. */
async function publishAgain(state: ServiceState): Promise<never> {
  while (true) {
    await condition(() => state.isReady);
    await publish(state);
  }
}

/** Null once its gateway has reported that it listens. */
async function launch(state: ServiceState): Promise<ServiceEnding | null> {
  const { previewId } = state;
  const frozen = await steps.freezeService({ previewId });
  if (frozen === null) {
    return stopped;
  }
  const { startMs, hasReported, ...owner } = frozen;
  state.isReady ||= hasReported;
  state.searchAttributesKnown = owner.searchAttributesKnown;
  showOwner(owner);
  state.show('starting', 'Starting the service');
  const { isWanted } = await steps.startService({ previewId });
  if (!isWanted) {
    return stopped;
  }
  state.isStarted = true;
  // The end may have come before anything was signalled.
  state.hasChanged = true;
  state.show('starting', 'Waiting for the gateway of the service');
  const isReady = await condition(() => state.isReady, startMs, { summary: 'Wait for the gateway' });
  return isReady ? null : failed(`The gateway of the service was not ready within ${readable(startMs)}`);
}

/** Looks at once, after each signal, and from time to time. */
async function endFound(state: ServiceState): Promise<ServiceEnding> {
  const { previewId } = state;
  let restartingSinceMs: number | null = null;
  while (true) {
    state.hasChanged = false;
    const restartingForMs: number = restartingSinceMs === null ? 0 : Date.now() - restartingSinceMs;
    const { isStarted } = state;
    const { ending, isRestarting, lookAgainInMs } = await steps.lookAtService({
      ...{ previewId, isStarted, restartingForMs },
    });
    if (ending !== null) {
      return ending;
    }
    restartingSinceMs = isRestarting ? (restartingSinceMs ?? Date.now()) : null;
    const waitMs = Math.max(shortestLookMs, Math.min(longestLookMs, lookAgainInMs));
    await condition(() => state.hasChanged, waitMs, { summary: 'Look at the service again' });
  }
}

async function historyFull(limit: number): Promise<'continue'> {
  await condition(() => {
    const { continueAsNewSuggested, historyLength } = workflowInfo();
    return continueAsNewSuggested || historyLength > limit;
  });
  return 'continue';
}

/** Returns what is recorded, which an earlier run may have done. */
async function finish(state: ServiceState, observed: ServiceEnding): Promise<ServiceEnding> {
  const { previewId } = state;
  state.show('ending', observed.reason ?? 'The preview is over');
  await stopOrLeaveToSweep(() => steps.stopService({ previewId }), { previewId });
  const ending = await steps.recordServiceEnd({ previewId, ending: observed });
  state.show(ending.state, ending.reason ?? 'The preview is over');
  return ending;
}
