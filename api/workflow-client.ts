/** The API's client of the workflows: calls have a timeout, and refusals become API errors. */

import {
  Client,
  Connection,
  isRetryableError,
  makeGrpcRetryInterceptor,
  WorkflowFailedError,
  WorkflowUpdateFailedError,
} from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import type { TemporalConnection } from '../config/temporal.ts';
import { alreadyDecidedSentence } from '../contract/sentences.ts';
import { taskQueue as defaultTaskQueue, type RefusalType } from '../contract/workflows.ts';
import { abandonAfter } from '../lib/timing/time-limit.ts';
import { createWorkflows, type Workflows } from '../workflows/client.ts';
import { createSchedules, type Schedules } from '../workflows/schedules-client.ts';
import { ApiError } from './errors.ts';
import { temporalWaitMs } from './follow-up.ts';

/**
 * Every function throws ApiError `unavailable` when Temporal, or for decisions a worker, does not answer in
 * time; `decide` throws ApiError `already_decided` when the request was closed otherwise.
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

interface Calls {
  connection: Connection;
  /** Throws when the work has no result within the limit. */
  within<Result>(limitMs: number, work: () => Promise<Result>): Promise<Result>;
  close(): Promise<void>;
}

const pauseMs = 500;
/** An attempt that is due is over by then. */
const closesWithinMs = 1_000;

/**
 * Calls are tried again until their time is over. Of what Temporal's client does by itself this leaves out
 * pauses of seconds, which go beyond the limit of a call, and attempts that are due when the connection was
 * closed meanwhile: those end the process.
 */
function openConnection({ address, tls, apiKey }: TemporalConnection, connectTimeout: number): Calls {
  let isClosing = false;
  const underWay = new Set<Promise<unknown>>();
  const connection = Connection.lazy({
    address,
    ...(tls && { tls }),
    ...(apiKey && { apiKey }),
    connectTimeout,
    interceptors: [
      makeGrpcRetryInterceptor({
        retryableDecider: (_attempt, status) => !isClosing && isRetryableError(status),
        delayFunction: () => pauseMs,
      }),
    ],
  });
  return {
    connection,
    within(limitMs, work) {
      const asked = connection.withDeadline(Date.now() + limitMs, work);
      underWay.add(asked);
      const forget = () => underWay.delete(asked);
      asked.then(forget, forget);
      return abandonAfter(limitMs, asked, () => {
        throw new Error(`Temporal did not answer within ${limitMs} ms`);
      });
    },
    async close() {
      isClosing = true;
      await abandonAfter(closesWithinMs, Promise.allSettled(underWay), () => undefined);
      await connection.close();
    },
  };
}

/** A short timeout, since a user waits for the page. */
const reachableWithinMs = 2_000;

/**
 * Connects at the first use, so that the API starts and answers what it can while Temporal is unavailable.
 */
export function createWorkflowClient(temporal: TemporalAddress): WorkflowClient {
  const { namespace, timeoutMs = 15_000 } = temporal;
  const calls = openConnection(temporal, timeoutMs);
  const { connection } = calls;
  const client = new Client({ connection, namespace });
  const queue = temporal.taskQueue ?? defaultTaskQueue;
  const workflows = createWorkflows(client.workflow, queue);
  const schedules = createSchedules(client.schedule, queue);
  const within = <Result>(work: () => Promise<Result>): Promise<Result> =>
    calls.within(timeoutMs, work).catch((error: unknown) => {
      throw asApiError(error);
    });
  const answersIn = (limitMs: number) =>
    calls
      .within(limitMs, () => connection.workflowService.getSystemInfo({}))
      .then(
        () => true,
        () => false,
      );
  /**
   * A worker is waited for, a Temporal that does not answer is not: what was to be carried out
   * has to be withdrawn then.
   */
  const ifReachable = async <Result>(work: () => Promise<Result>): Promise<Result> => {
    if (!(await answersIn(temporalWaitMs))) {
      throw asApiError(new Error('Temporal does not answer'));
    }
    return within(work);
  };

  return {
    isReachable: () => answersIn(reachableWithinMs),
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
    decide: (...input) => ifReachable(() => workflows.decide(...input)),
    runGrant: (...input) => ifReachable(() => workflows.runGrant(...input)),
    schedules: {
      put: (...input) => within(() => schedules.put(...input)),
      remove: (...input) => within(() => schedules.remove(...input)),
      trigger: (...input) => within(() => schedules.trigger(...input)),
      readOutlook: (...input) => within(() => schedules.readOutlook(...input)),
    },
    close: () => calls.close(),
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
      case 'passkey_required' satisfies RefusalType:
        return new ApiError('passkey_required', refusal.message, { cause: error });
    }
  }
  return new ApiError('unavailable', 'The platform cannot carry this out right now; try again', {
    retryAfterSeconds: 5,
    cause: error,
  });
}
