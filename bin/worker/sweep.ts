/** Repairs what a lost process left behind: workloads without a session, and sessions without a workflow. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { ActivityDependencies } from '../../activities/dependencies.ts';
import { stopOrphans } from '../../activities/workloads/stop-orphans.ts';
import { checkSummary } from '../../contract/workflows.ts';
import { settled } from '../../runtime/settled.ts';
import { removeAbandonedContents } from '../../store/artifacts/contents.ts';
import { removeOldChecks } from '../../store/mcp-checks/erase.ts';
import { listUnfinishedChecks } from '../../store/mcp-checks/read.ts';
import { eraseOldOutputs } from '../../store/session-processes/erase-outputs.ts';
import { listOpenRequestIds, listUnfinishedSessionIds } from '../../store/sessions/list-unfinished.ts';
import { listUntoldSessions } from '../../store/sessions/list-untold.ts';
import { readRequestSummary, readSessionSummary } from '../../store/sessions/workflow-summaries.ts';
import { listWorkspacesWithRetention, removeExpiredCalls } from '../../store/tool-calls/remove-expired.ts';
import type { Workflows } from '../../workflows/client.ts';

/** A delivery that is still being tried is younger. */
const undeliveredSeconds = 30;
/** Records of calls are removed in short batches; the rest waits for the next sweep. */
const callsPerBatch = 200;
const batchesPerSweep = 100;
const betweenBatchesMs = 20;
/** An upload in progress takes at most two minutes. */
const abandoned = { untouchedSeconds: 600, limit: 20 };

export interface Sweeping {
  dependencies: ActivityDependencies;
  workflows: Workflows;
  /** The output of sessions' processes is erased after this long. */
  outputKeptSeconds: number;
  /** A check is removed this long after it ended. */
  checkKeptSeconds: number;
}

/**
 * One sweep. Safe at any time, and from several workers at once. No part waits for another, which may wait for an unreachable
 * service; throws the error of the first part that failed.
 */
export async function sweep(sweeping: Sweeping): Promise<void> {
  const { dependencies, outputKeptSeconds: keptSeconds, checkKeptSeconds } = sweeping;
  await settled([
    stopOrphans(dependencies),
    startLostWorkflows(sweeping),
    tellAgain(sweeping),
    eraseOldOutputs(dependencies.db, { keptSeconds }),
    removeOldChecks(dependencies.db, { keptSeconds: checkKeptSeconds }),
    removeLeftovers(sweeping),
    removeOldCalls(sweeping),
  ]);
}

/**
 * Starting a workflow that runs does nothing. One that was never started, because the API stopped in between, begins;
 * one that Temporal lost ends its session, with a reason.
 */
export async function startLostWorkflows({ dependencies: { db }, workflows }: Sweeping): Promise<void> {
  for (const sessionId of await listUnfinishedSessionIds(db)) {
    await workflows.startSession(sessionId, await readSessionSummary(db, sessionId));
  }
  for (const { id } of await listUnfinishedChecks(db)) {
    await workflows.startCheck(id, checkSummary);
  }
  for (const requestId of await listOpenRequestIds(db)) {
    await workflows.startPermissionRequest(requestId, await readRequestSummary(db, requestId));
  }
}

/**
 * Resends what is on record for a session but did not reach its workflow, because Temporal was unreachable for the API. A workflow that
 * has ended meanwhile is not notified; one that was lost is started by the next sweep.
 */
export async function tellAgain({ dependencies: { db }, workflows }: Sweeping): Promise<void> {
  for (const { id, signal } of await listUntoldSessions(db, { undeliveredSeconds })) {
    await workflows.signalSession(id, signal);
  }
}

/** Removes the bytes of abandoned uploads, such as when their API was killed. */
async function removeLeftovers({ dependencies: { db } }: Sweeping): Promise<void> {
  while ((await removeAbandonedContents(db, abandoned)) === abandoned.limit) {
    // A few at a time, each in a statement of its own.
  }
}

/** Removes records of tool calls that are older than their workspace's retention and the operator's floor. */
export async function removeOldCalls({
  dependencies: { db, limits },
}: Pick<Sweeping, 'dependencies'>): Promise<void> {
  const floorDays = limits.TOOL_CALL_RETENTION_FLOOR_DAYS;
  for (const { id: workspaceId, days } of await listWorkspacesWithRetention(db)) {
    const batch = { workspaceId, days: Math.max(days, floorDays), limit: callsPerBatch };
    for (
      let batches = 0;
      batches < batchesPerSweep && (await removeExpiredCalls(db, batch)) > 0;
      batches += 1
    ) {
      await sleep(betweenBatchesMs);
    }
  }
}

/** Sweeps now and then again after each interval. A sweep that fails is logged; the next one tries again.Returns a function to stop. */
export function keepSweeping(sweeping: Sweeping, intervalMs: number): () => void {
  let timer: NodeJS.Timeout | undefined;
  let stopped = false;
  const run = async () => {
    await sweep(sweeping).catch((err: unknown) => sweeping.dependencies.log.warn({ err }, 'a sweep failed'));
    if (!stopped) {
      timer = setTimeout(() => void run(), intervalMs);
    }
  };
  void run();
  return () => {
    stopped = true;
    clearTimeout(timer);
  };
}
