/** What the API asks of the workflows: start, tell, decide. It names them; their code is the worker's (design 2, 6). */
import {
  Client,
  Connection,
  WithStartWorkflowOperation,
  WorkflowFailedError,
  WorkflowNotFoundError,
  WorkflowUpdateFailedError,
} from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import type { TemporalConnection } from '../config/temporal.ts';
import {
  taskQueue as defaultTaskQueue,
  grantWorkflowId,
  mcpCheckWorkflowId,
  permissionRequestWorkflowId,
  sessionWorkflowId,
  taskQueues,
} from '../contract/workflow-ids.ts';
import type {
  GrantWorkflowInput,
  McpCheckWorkflowInput,
  PermissionRequestWorkflowInput,
  RequestOutcome,
  SessionWorkflowInput,
} from '../workflows/messages.ts';
import { ApiError } from './errors.ts';

export type SessionSignal = 'sidecarReady' | 'inputAvailable' | 'agentEnded' | 'terminate';

/**
 * `summary` is one line for people who look at Temporal.
 * Every function throws ApiError `unavailable` when Temporal, or for decisions a worker, does not answer in time.
 */
export interface WorkflowClient {
  /** Starts the session's workflow, or does nothing when it runs. */
  startSession(sessionId: string, summary: string): Promise<void>;
  /** False when no such workflow runs. */
  signalSession(sessionId: string, signal: SessionSignal): Promise<boolean>;
  /** Starts the workflow of a check of a catalog entry, or does nothing when it runs. */
  startCheck(checkId: string, summary: string): Promise<void>;
  /** Tells the workflow that the check is cancelled; false when no such workflow runs. */
  cancelCheck(checkId: string): Promise<boolean>;
  /** Starts the request's workflow, or does nothing when it runs. */
  startPermissionRequest(requestId: string, summary: string): Promise<void>;
  /** Has a stored decision carried out. Throws ApiError `already_decided` when the request was closed otherwise. */
  decide(requestId: string, decisionId: string, summary: string): Promise<RequestOutcome>;
  /** Has a stored approval carried out that answers no request; returns when the grant is written. */
  runGrant(grantId: string, decisionId: string, summary: string): Promise<void>;
  /** Whether Temporal answers, within a few seconds. Never throws. */
  isReachable(): Promise<boolean>;
  close(): Promise<void>;
}

export interface TemporalAddress extends TemporalConnection {
  /** Other queues than the platform's, for tests: the one for sessions. */
  taskQueue?: string;
  timeoutMs?: number;
}

function answersIn(limitMs: number, connection: Connection): Promise<boolean> {
  const ask = () => connection.workflowService.getSystemInfo({});
  return connection.withDeadline(Date.now() + limitMs, ask).then(
    () => true,
    () => false,
  );
}

/** For a page that somebody waits for. */
const reachableWithinMs = 2_000;

/** Connects at the first use, so that the API starts and answers what it can while Temporal is away. */
export function createWorkflowClient(temporal: TemporalAddress): WorkflowClient {
  const { address, namespace, tls, apiKey, timeoutMs = 15_000 } = temporal;
  const queues = taskQueues(temporal.taskQueue ?? defaultTaskQueue);
  const connection = Connection.lazy({
    address,
    ...(tls && { tls }),
    ...(apiKey && { apiKey }),
    connectTimeout: timeoutMs,
  });
  const { workflow } = new Client({ connection, namespace });
  const within = <Result>(work: () => Promise<Result>): Promise<Result> =>
    connection.withDeadline(Date.now() + timeoutMs, work).catch((error: unknown) => {
      throw asApiError(error);
    });

  const signal = (workflowId: string, name: string): Promise<boolean> =>
    within(() => whetherTaken(workflow.getHandle(workflowId).signal(name)));

  return {
    isReachable: () => answersIn(reachableWithinMs, connection),
    async startSession(sessionId, summary) {
      const args: [SessionWorkflowInput] = [{ sessionId }];
      await within(() =>
        workflow.start('sessionWorkflow', {
          workflowId: sessionWorkflowId(sessionId),
          workflowIdConflictPolicy: 'USE_EXISTING',
          taskQueue: queues.sessions,
          args,
          staticSummary: summary,
        }),
      );
    },
    signalSession: (sessionId, name) => signal(sessionWorkflowId(sessionId), name),
    startCheck: (checkId, summary) =>
      within(async () => {
        await workflow.start(
          'mcpCheckWorkflow',
          checkOptions(checkId, { taskQueue: queues.sessions, summary }),
        );
      }),
    cancelCheck: (checkId) => signal(mcpCheckWorkflowId(checkId), 'cancelCheck'),
    async startPermissionRequest(requestId, summary) {
      const options = requestOptions(requestId, { taskQueue: queues.decisions, summary });
      await within(() => workflow.start('permissionRequestWorkflow', options));
    },
    async decide(requestId, decisionId, summary) {
      const startWorkflowOperation = new WithStartWorkflowOperation(
        'permissionRequestWorkflow',
        requestOptions(requestId, { taskQueue: queues.decisions, summary }),
      );
      return within(() =>
        workflow.executeUpdateWithStart<() => Promise<unknown>, RequestOutcome, [{ decisionId: string }]>(
          'decide',
          { updateId: decisionId, args: [{ decisionId }], startWorkflowOperation },
        ),
      );
    },
    async runGrant(grantId, decisionId, summary) {
      const args: [GrantWorkflowInput] = [{ decisionId }];
      await within(() =>
        workflow.execute('grantWorkflow', {
          workflowId: grantWorkflowId(grantId),
          workflowIdConflictPolicy: 'USE_EXISTING',
          // The approval has expired by then: nothing is left to try.
          workflowExecutionTimeout: '10 minutes',
          taskQueue: queues.decisions,
          args,
          staticSummary: summary,
        }),
      );
    },
    close: () => connection.close(),
  };
}

/** False when no such workflow runs. */
function whetherTaken(signalled: Promise<void>): Promise<boolean> {
  return signalled.then(
    () => true,
    (error: unknown) => {
      if (error instanceof WorkflowNotFoundError) {
        return false;
      }
      throw error;
    },
  );
}

function checkOptions(checkId: string, { taskQueue, summary }: { taskQueue: string; summary: string }) {
  const args: [McpCheckWorkflowInput] = [{ checkId }];
  return {
    workflowId: mcpCheckWorkflowId(checkId),
    workflowIdConflictPolicy: 'USE_EXISTING' as const,
    taskQueue,
    args,
    staticSummary: summary,
  };
}

function requestOptions(requestId: string, { taskQueue, summary }: { taskQueue: string; summary: string }) {
  const args: [PermissionRequestWorkflowInput] = [{ requestId }];
  return {
    workflowId: permissionRequestWorkflowId(requestId),
    workflowIdConflictPolicy: 'USE_EXISTING' as const,
    taskQueue,
    args,
    staticSummary: summary,
  };
}

/** A refusal by the workflow, by its type; everything else means that nobody could answer. */
function asApiError(error: unknown): ApiError {
  const failed = error instanceof WorkflowUpdateFailedError || error instanceof WorkflowFailedError;
  const refusal = failed ? error.cause : null;
  if (refusal instanceof ApplicationFailure) {
    switch (refusal.type) {
      case 'already_decided':
        return new ApiError('already_decided', 'The permission request is already decided');
      case 'approval_expired':
      case 'approval_invalid':
        return new ApiError('conflict', refusal.message, { cause: error });
    }
  }
  return new ApiError('unavailable', 'The platform cannot carry this out right now; try again', {
    retryAfterSeconds: 5,
    cause: error,
  });
}
