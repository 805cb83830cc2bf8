/** The API's client of the workflows: calls have a timeout, and refusals become API errors. */

import { Client, Connection, WorkflowFailedError, WorkflowUpdateFailedError } from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import type { TemporalConnection } from '../config/temporal.ts';
import { alreadyDecidedSentence } from '../contract/sentences.ts';
import { taskQueue as defaultTaskQueue, type RefusalType } from '../contract/workflows.ts';
import { createWorkflows, type Workflows } from '../workflows/client.ts';
import { createSchedules, type Schedules } from '../workflows/schedules-client.ts';
import { ApiError } from './errors.ts';

/**
 * Every function throws ApiError `unavailable` when Temporal, or for decisions a worker, does not answer in time; `decide` throws
 * ApiError `already_decided` when the request was closed otherwise.
 */
export interface WorkflowClient extends Omit<Workflows, 'listRunning' | 'signalScheduledRun'> {
  schedules: Omit<Schedules, 'list'>;
  /** Whether Temporal answers, within a few seconds. Never throws. */
  isReachable(): Promise<boolean>;
  close(): Promise<void>;
}

export interface TemporalAddress extends TemporalConnection {
  /** Replaces the platform's queues, for tests: the name of the one for sessions. */
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

/** A short timeout, since a user waits for the page. */
const reachableWithinMs = 2_000;

/** Connects at the first use, so that the API starts and answers what it can while Temporal is unavailable. */
export function createWorkflowClient(temporal: TemporalAddress): WorkflowClient {
  const { address, namespace, tls, apiKey, timeoutMs = 15_000 } = temporal;
  const connection = Connection.lazy({
    address,
    ...(tls && { tls }),
    ...(apiKey && { apiKey }),
    connectTimeout: timeoutMs,
  });
  const client = new Client({ connection, namespace });
  const queue = temporal.taskQueue ?? defaultTaskQueue;
  const workflows = createWorkflows(client.workflow, queue);
  const schedules = createSchedules(client.schedule, queue);
  const within = <Result>(work: () => Promise<Result>): Promise<Result> =>
    connection.withDeadline(Date.now() + timeoutMs, work).catch((error: unknown) => {
      throw asApiError(error);
    });

  return {
    isReachable: () => answersIn(reachableWithinMs, connection),
    startSession: (...input) => within(() => workflows.startSession(...input)),
    signalSession: (...input) => within(() => workflows.signalSession(...input)),
    startCheck: (...input) => within(() => workflows.startCheck(...input)),
    cancelCheck: (...input) => within(() => workflows.cancelCheck(...input)),
    reviseRegistration: (...input) => within(() => workflows.reviseRegistration(...input)),
    startAuthorization: (...input) => within(() => workflows.startAuthorization(...input)),
    settleAuthorization: (...input) => within(() => workflows.settleAuthorization(...input)),
    startChannelMessage: (...input) => within(() => workflows.startChannelMessage(...input)),
    startServicePreview: (...input) => within(() => workflows.startServicePreview(...input)),
    signalServicePreview: (...input) => within(() => workflows.signalServicePreview(...input)),
    startPermissionRequest: (...input) => within(() => workflows.startPermissionRequest(...input)),
    decide: (...input) => within(() => workflows.decide(...input)),
    runGrant: (...input) => within(() => workflows.runGrant(...input)),
    schedules: {
      put: (...input) => within(() => schedules.put(...input)),
      remove: (...input) => within(() => schedules.remove(...input)),
      trigger: (...input) => within(() => schedules.trigger(...input)),
      readOutlook: (...input) => within(() => schedules.readOutlook(...input)),
    },
    close: () => connection.close(),
  };
}

/** Maps a refusal by the workflow, by its type; every other error means unavailable. */
function asApiError(error: unknown): ApiError {
  const failed = error instanceof WorkflowUpdateFailedError || error instanceof WorkflowFailedError;
  const refusal = failed ? error.cause : null;
  if (refusal instanceof ApplicationFailure) {
    switch (refusal.type) {
      case 'already_decided' satisfies RefusalType:
        return new ApiError('already_decided', alreadyDecidedSentence());
      case 'approval_expired' satisfies RefusalType:
      case 'approval_invalid' satisfies RefusalType:
        return new ApiError('conflict', refusal.message, { cause: error });
    }
  }
  return new ApiError('unavailable', 'The platform cannot carry this out right now; try again', {
    retryAfterSeconds: 5,
    cause: error,
  });
}
