/** Repairs what a lost process left behind: workloads without a session, and sessions without a workflow. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { ActivityDependencies } from '../../activities/dependencies.ts';
import { revokeEndedConnections } from '../../activities/oauth-connections/revoke-ended.ts';
import { settleEnded } from '../../activities/workloads/settle-ended.ts';
import { stopOrphans } from '../../activities/workloads/stop-orphans.ts';
import { isSameApi } from '../../activities/workloads/workload-exit.ts';
import { lostAfterSeconds } from '../../commands/artifacts/request-patch.ts';
import { endExpiredPreviews } from '../../commands/previews/end.ts';
import { keepVectorIndexes } from '../../commands/vectors/keep-indexes.ts';
import {
  authorizationSummary,
  authorizationWorkflowId,
  channelMessageSummary,
  channelMessageWorkflowId,
  mcpCheckWorkflowId,
  mcpRegistrationWorkflowId,
  permissionRequestWorkflowId,
  servicePreviewSummary,
  servicePreviewWorkflowId,
  serviceSignals,
  sessionOfWorkflow,
  sessionSignals,
  sessionWorkflowId,
} from '../../contract/workflows.ts';
import { settled } from '../../runtime/settled.ts';
import { removeAbandonedContents } from '../../store/artifacts/contents.ts';
import { tellPatchRequestsAgain } from '../../store/artifacts/patch-requests.ts';
import { listPendingMessages, removeOldMessages } from '../../store/channel-messages/messages.ts';
import { listUnfinishedChecks, removeOldChecks } from '../../store/mcp-checks/checks.ts';
import { listUnsettledRegistrations } from '../../store/mcp-registrations/registrations.ts';
import { listUnattendedAuthorizations } from '../../store/oauth-authorizations/authorizations.ts';
import { eraseOldCalls } from '../../store/permission-requests/calls.ts';
import { listUnfinishedServices } from '../../store/previews/services.ts';
import { removeOldRuns } from '../../store/schedules/runs.ts';
import { eraseOldOutputs } from '../../store/session-processes/outputs.ts';
import {
  listLaunchedSessions,
  listOpenRequestIds,
  listUnfinishedSessionIds,
  listUntoldSessions,
} from '../../store/sessions/list.ts';
import {
  readCheckSummary,
  readRegistrationSummary,
  readRequestSummary,
  readSessionSummary,
} from '../../store/sessions/workflow-summaries.ts';
import { listWorkspacesWithRetention, removeExpiredCalls } from '../../store/tool-calls/remove-expired.ts';
import { indexedFrom } from '../../store/vectors/search.ts';
import type { Workflows } from '../../workflows/client.ts';
import type { Schedules } from '../../workflows/schedules-client.ts';
import type { SweepWork } from '../keep-sweeping.ts';
import { endInClosedWorkspaces, removeDueWorkspaces } from './closed-workspaces.ts';
import { repairScheduleCopies } from './repair-schedule-copies.ts';
import type { WorkloadWatch } from './watch-workloads.ts';

/** A delivery that is still being tried is younger. */
const undeliveredSeconds = 30;
/** Records of calls are removed in short batches; the rest waits for the next sweep. */
const callsPerBatch = 200;
const batchesPerSweep = 100;
const betweenBatchesMs = 20;
/** Of so many sweeps one starts every workflow: Temporal's list may name some that it lost. */
const sweepsPerFullStart = 60;
/** Indexes are built here, where nobody waits for them: a large one takes minutes. */
const vectorIndexes = { minItems: indexedFrom, maxIndexes: 200 };
/** An upload in progress takes at most two minutes. */
const abandoned = { untouchedSeconds: 600, limit: 20 };

export interface Sweeping {
  dependencies: ActivityDependencies;
  workflows: Workflows;
  schedules: Pick<Schedules, 'list' | 'put' | 'remove'>;
  workloads: Pick<WorkloadWatch, 'lookAtAll'>;
  /** The output of sessions' processes is erased after this long. */
  outputKeptSeconds: number;
  /** A check is removed this long after it ended. */
  checkKeptSeconds: number;
  /** The arguments of a refused call are erased this long after its request was closed. */
  refusedCallKeptSeconds: number;
  /** What is known of a message to a channel is removed this long after it was settled. */
  channelMessagesKeptSeconds: number;
  /** The outcome of a time of a schedule is removed this long after it. */
  scheduleRunsKeptSeconds: number;
}

/**
 * The parts of a sweep, by name. Each is safe at any time, and from several workers at once. None waits for
 * another, which may have much to do or wait for an unreachable service.
 */
export function sweepParts(sweeping: Sweeping): SweepWork {
  const { dependencies, outputKeptSeconds: keptSeconds, checkKeptSeconds, refusedCallKeptSeconds } = sweeping;
  const { channelMessagesKeptSeconds } = sweeping;
  return {
    'stop orphans': () => stopOrphans(dependencies),
    'settle ended sessions': () => settleEnded(dependencies),
    'start lost workflows': (run) =>
      startLostWorkflows(sweeping, { trustsList: run % sweepsPerFullStart !== 0 }),
    'signal changed workloads': () => signalChangedWorkloads(sweeping),
    'tell again': () => tellAgain(sweeping),
    'erase old outputs': () => eraseOldOutputs(dependencies.db, { keptSeconds }),
    'remove old checks': () => removeOldChecks(dependencies.db, { keptSeconds: checkKeptSeconds }),
    'erase refused calls': () => eraseOldCalls(dependencies.db, { keptSeconds: refusedCallKeptSeconds }),
    'remove old messages': () =>
      removeOldMessages(dependencies.db, { keptSeconds: channelMessagesKeptSeconds }),
    'end expired previews': () => endPreviews(sweeping),
    'revoke ended connections': () => revokeEndedConnections(dependencies),
    'end in closed workspaces': () => endInClosedWorkspaces(sweeping),
    'remove closed workspaces': (_run, stopping) => removeDueWorkspaces(dependencies.db, stopping),
    'remove leftovers': () => removeLeftovers(sweeping),
    'remove old calls': () => removeOldCalls(sweeping),
    'repair copies of schedules': (run) =>
      repairScheduleCopies(
        { ...dependencies, schedules: sweeping.schedules },
        { trustsList: run % sweepsPerFullStart !== 0 },
      ),
    'remove old runs': () =>
      removeOldRuns(dependencies.db, { keptSeconds: sweeping.scheduleRunsKeptSeconds }),
    'index vectors': (_run, stopping) => keepVectorIndexes(dependencies.db, vectorIndexes, stopping),
  };
}

/**
 * Starting a workflow that runs does nothing. One that was never started, because the API stopped in between,
 * begins; one that Temporal lost ends its session, with a reason. With `trustsList` those that Temporal lists
 * as running are not started, and workflows of sessions that ended or were removed are signalled; without its
 * list all are started, and none of those signalled.
 */
export async function startLostWorkflows(
  sweeping: Pick<Sweeping, 'dependencies' | 'workflows'>,
  { trustsList = false }: { trustsList?: boolean } = {},
): Promise<void> {
  const {
    dependencies: { db },
    workflows,
  } = sweeping;
  // Before the rows are read: a workflow on the list had its row by then.
  const running = trustsList ? await listRunning(sweeping) : new Set<string>();
  const sessionIds = await listUnfinishedSessionIds(db);
  for (const sessionId of sessionIds.filter((id) => !running.has(sessionWorkflowId(id)))) {
    await workflows.startSession(sessionId, await readSessionSummary(db, sessionId));
  }
  for (const { id } of await listUnfinishedChecks(db)) {
    if (!running.has(mcpCheckWorkflowId(id))) {
      await workflows.startCheck(id, await readCheckSummary(db, id));
    }
  }
  for (const { id } of await listUnsettledRegistrations(db)) {
    if (!running.has(mcpRegistrationWorkflowId(id))) {
      await workflows.reviseRegistration(id, await readRegistrationSummary(db, id));
    }
  }
  for (const { id } of await listUnattendedAuthorizations(db)) {
    if (!running.has(authorizationWorkflowId(id))) {
      await workflows.startAuthorization(id, authorizationSummary);
    }
  }
  for (const messageId of await listPendingMessages(db)) {
    if (!running.has(channelMessageWorkflowId(messageId))) {
      await workflows.startChannelMessage(messageId, channelMessageSummary);
    }
  }
  for (const previewId of await listUnfinishedServices(db)) {
    if (!running.has(servicePreviewWorkflowId(previewId))) {
      await workflows.startServicePreview(previewId, servicePreviewSummary);
    }
  }
  for (const requestId of await listOpenRequestIds(db)) {
    if (!running.has(permissionRequestWorkflowId(requestId))) {
      await workflows.startPermissionRequest(requestId, await readRequestSummary(db, requestId));
    }
  }
  const unfinished = new Set(sessionIds);
  for (const sessionId of [...running].flatMap((id) => sessionOfWorkflow(id) ?? [])) {
    if (!unfinished.has(sessionId)) {
      await workflows.signalSession(sessionId, sessionSignals.workloadChanged);
    }
  }
}

/**
 * Empty when Temporal does not list them: its list is kept apart from what starts a workflow, and may
 * be unavailable by itself.
 */
async function listRunning({
  dependencies: { log },
  workflows,
}: Pick<Sweeping, 'dependencies' | 'workflows'>): Promise<ReadonlySet<string>> {
  try {
    return await workflows.listRunning();
  } catch (err) {
    log.warn({ err }, 'Temporal does not list the workflows that run; all are started again');
    return new Set();
  }
}

/**
 * Signals sessions whose workload is not as it should be, or whose sidecar has a former address of the API,
 * however that was missed.
 */
export async function signalChangedWorkloads({
  dependencies: { db, internalApiUrl },
  workflows,
  workloads,
}: Pick<Sweeping, 'dependencies' | 'workflows' | 'workloads'>): Promise<void> {
  const sessions = await listLaunchedSessions(db);
  const moved: string[] = [];
  const stayed: string[] = [];
  for (const { id, apiUrl } of sessions) {
    (isSameApi(apiUrl, internalApiUrl) ? stayed : moved).push(id);
  }
  const signalMoved = async () => {
    for (const id of moved) {
      await workflows.signalSession(id, sessionSignals.workloadChanged);
    }
  };
  await settled([signalMoved(), workloads.lookAtAll(stayed)]);
}

/**
 * Resends what is on record for a session but did not reach its workflow, because Temporal was
 * unreachable for the API. A workflow that has ended meanwhile is not notified; one that was lost is
 * started by the next sweep.
 */
export async function tellAgain({
  dependencies: { db },
  workflows,
}: Pick<Sweeping, 'dependencies' | 'workflows'>): Promise<void> {
  for (const { id, signal } of await listUntoldSessions(db, { undeliveredSeconds })) {
    await workflows.signalSession(id, signal);
  }
  for (const id of await tellPatchRequestsAgain(db, lostAfterSeconds)) {
    await workflows.signalSession(id, sessionSignals.patchRequested);
  }
}

/** Ends previews that have expired, and tells the workflows of those that showed a service. */
async function endPreviews({ dependencies: { db }, workflows }: Sweeping): Promise<void> {
  for (const previewId of await endExpiredPreviews(db)) {
    await workflows.signalServicePreview(previewId, serviceSignals.serviceChanged);
  }
}

/** Removes the bytes of abandoned uploads, such as when their API was killed. */
async function removeLeftovers({ dependencies: { db } }: Sweeping): Promise<void> {
  while ((await removeAbandonedContents(db, abandoned)) === abandoned.limit) {
    // A few at a time, each in a statement of its own.
  }
}

/** Removes records of tool calls that are older than their workspace's retention and the operator's floor. */
async function removeOldCalls({
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
