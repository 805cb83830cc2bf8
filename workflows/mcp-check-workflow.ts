/** A check of a catalog entry: its workload starts, lists its tools and is gone again, whatever happens (docs/decisions/0029). */
import {
  ActivityFailure,
  ApplicationFailure,
  CancellationScope,
  condition,
  isCancellation,
  log,
  setHandler,
  sleep,
} from '@temporalio/workflow';
import type { ObservedCheckEnd } from '../activities/mcp-checks/record-check-end.ts';
import type { McpCheckWorkflowInput } from '../contract/workflows.ts';
import { cancelCheck } from './messages.ts';
import { endingOfFailure, readable } from './session-endings.ts';
import * as steps from './steps.ts';
import { showOwner, showProgress } from './visibility.ts';

/** Runs one check. Returns after the workload is stopped and the end is recorded; a launch that fails is an end. */
export async function mcpCheckWorkflow({ checkId }: McpCheckWorkflowInput): Promise<ObservedCheckEnd> {
  let isCancelled = false;
  setHandler(cancelCheck, () => {
    isCancelled = true;
  });
  const observed = await untilEnd(checkId, async () => {
    await condition(() => isCancelled);
    return { kind: 'cancelled', reason: 'An admin cancelled the check' };
  });
  await CancellationScope.nonCancellable(() => finish(checkId, observed));
  return observed;
}

/** The first end wins; whatever else was going on is cancelled. */
async function untilEnd(
  checkId: string,
  cancelled: () => Promise<ObservedCheckEnd>,
): Promise<ObservedCheckEnd> {
  const scope = new CancellationScope();
  let running: Promise<unknown> = Promise.resolve();
  try {
    return await scope.run(() => {
      const run = launchAndWatch(checkId);
      running = run;
      return Promise.race([run, cancelled()]);
    });
  } catch (error) {
    return isCancellation(error)
      ? { kind: 'cancelled', reason: 'The check was cancelled' }
      : { kind: 'failed', reason: endingOfFailure(error).reason };
  } finally {
    scope.cancel();
    // A start that is under way has to end first: a workload that appears after the stop would stay.
    await running.catch(() => undefined);
  }
}

async function launchAndWatch(checkId: string): Promise<ObservedCheckEnd> {
  const { workspaceId, isNew, limitMs, searchAttributesKnown } = await steps.freezeCheck({ checkId });
  showOwner({ workspaceId, sessionId: checkId, searchAttributesKnown });
  if (!isNew) {
    const reason = 'The record of what this check was doing was lost; check again';
    throw ApplicationFailure.nonRetryable(reason, 'launch_refused');
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

/** What cannot be stopped does not keep the check open: its token stops working, and the worker's sweep takes it. */
async function finish(checkId: string, observed: ObservedCheckEnd): Promise<void> {
  try {
    await steps.stopCheck({ checkId });
  } catch (error) {
    if (!(error instanceof ActivityFailure)) {
      throw error;
    }
    log.error('what the check ran could not be stopped; the next sweep for orphans takes it', { checkId });
  }
  await steps.recordCheckEnd({ checkId, observed });
}
