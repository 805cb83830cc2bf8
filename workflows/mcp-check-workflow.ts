/**
 * A check of a catalog entry: its workload starts, lists its tools and is always removed
 * again (docs/decisions/0029).
 */
import { CancellationScope, condition, isCancellation, setHandler, sleep } from '@temporalio/workflow';
import type { McpCheckWorkflowInput, ObservedCheckEnd } from '../contract/workflows.ts';
import { firstEnding, stopOrLeaveToSweep } from './first-ending.ts';
import { cancelCheck } from './messages.ts';
import { endingOfFailure, readable } from './session-endings.ts';
import * as steps from './steps.ts';
import { showOwner, showProgress } from './visibility.ts';

const cancelledByAdmin: ObservedCheckEnd = { kind: 'cancelled', reason: 'An admin cancelled the check' };

/**
 * Runs one check. Returns after the workload is stopped and the end is recorded; a
 * launch that fails is an end.
 */
export async function mcpCheckWorkflow({ checkId }: McpCheckWorkflowInput): Promise<ObservedCheckEnd> {
  let isCancelled = false;
  setHandler(cancelCheck, () => {
    isCancelled = true;
  });
  const shown: Shown = { searchAttributesKnown: false };
  const observed = await firstEnding(
    () => launchAndWatch(checkId, shown),
    () => condition(() => isCancelled).then(() => cancelledByAdmin),
    endOfFailure,
  );
  await CancellationScope.nonCancellable(() => finish(checkId, observed, shown));
  return observed;
}

interface Shown {
  searchAttributesKnown: boolean;
}

function endOfFailure(error: unknown): ObservedCheckEnd {
  return isCancellation(error)
    ? { kind: 'cancelled', reason: 'The check was cancelled' }
    : { kind: 'failed', reason: endingOfFailure(error).reason };
}

async function launchAndWatch(checkId: string, shown: Shown): Promise<ObservedCheckEnd> {
  const { isNew, limitMs, ...owner } = await steps.freezeCheck({ checkId });
  const { searchAttributesKnown } = owner;
  shown.searchAttributesKnown = searchAttributesKnown;
  showOwner({ ...owner, sessionId: checkId });
  if (!isNew) {
    return { kind: 'failed', reason: 'The record of what this check was doing was lost; check again' };
  }
  showProgress('starting', 'Starting the server', searchAttributesKnown);
  await steps.startCheck({ checkId });
  showProgress('running', 'Asking the server for its tools', searchAttributesKnown);
  return Promise.race([watched(checkId), limited(limitMs)]);
}

async function watched(checkId: string): Promise<ObservedCheckEnd> {
  const exit = await steps.watchCheck({ checkId });
  switch (exit.kind) {
    case 'ended':
      return { kind: 'ended' };
    case 'lost':
      return { kind: 'failed', reason: 'What the check ran was lost; check again' };
    case 'unwanted':
      return { kind: 'cancelled', reason: exit.reason };
  }
}

async function limited(limitMs: number): Promise<ObservedCheckEnd> {
  await sleep(limitMs, { summary: 'Time limit of the check' });
  return { kind: 'failed', reason: `The server did not list its tools within ${readable(limitMs)}` };
}

async function finish(
  checkId: string,
  observed: ObservedCheckEnd,
  { searchAttributesKnown }: Shown,
): Promise<void> {
  await stopOrLeaveToSweep(() => steps.stopCheck({ checkId }), { checkId });
  const recorded = await steps.recordCheckEnd({ checkId, observed });
  const { status, reason } = recorded ?? { status: observed.kind, reason: null };
  const sentence = reason ?? 'What the server lists is on the page of its entry';
  showProgress(status, sentence, searchAttributesKnown);
}
