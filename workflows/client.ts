/**
 * The client of the workflows: start, signal, decide. Nothing else starts or signals one; their
 * code runs in the worker.
 */
import {
  isGrpcServiceError,
  ServiceError,
  type WorkflowClient as TemporalClient,
  WithStartWorkflowOperation,
  type WorkflowHandle,
  WorkflowNotFoundError,
  type WorkflowStartOptions,
} from '@temporalio/client';
import {
  type AuthorizationWorkflowInput,
  authorizationWorkflowContract,
  type ChannelMessageWorkflowInput,
  channelMessageWorkflowContract,
  type DecideInput,
  type DueRun,
  type GrantWorkflowInput,
  grantWorkflowContract,
  type McpCheckWorkflowInput,
  type McpRegistrationWorkflowInput,
  mcpCheckWorkflowContract,
  mcpRegistrationWorkflowContract,
  type PermissionRequestWorkflowInput,
  permissionRequestWorkflowContract,
  type QueueName,
  type RequestOutcome,
  type ServicePreviewWorkflowInput,
  type ServiceSignal,
  type SessionSignal,
  type SessionWorkflowInput,
  scheduledRunWorkflowContract,
  scheduledRunWorkflowId,
  servicePreviewWorkflowContract,
  sessionWorkflowContract,
  sessionWorkflowId,
  taskQueues,
  type WorkflowOf,
} from '../contract/workflows.ts';

/**
 * `summary` is one line for people who look at Temporal. Every function throws what Temporal's client throws.
 */
export interface Workflows {
  /** Starts the session's workflow, or does nothing when it runs. */
  startSession(sessionId: string, summary: string): Promise<void>;
  /**
   * False when no such workflow runs. `terminate` and `agentEnded` end the session although Temporal
   * takes no more signals for it.
   */
  signalSession(sessionId: string, signal: SessionSignal): Promise<boolean>;
  /**
   * Ids of the workflows of this platform that run, of every type, as Temporal lists them: the list may be
   * seconds late. Fails after half a minute.
   */
  listRunning(): Promise<ReadonlySet<string>>;
  /** Starts the workflow of a check of a catalog entry, or does nothing when it runs. */
  startCheck(checkId: string, summary: string): Promise<void>;
  /** Signals the workflow that the check is cancelled; false when no such workflow runs. */
  cancelCheck(checkId: string): Promise<boolean>;
  /** Has the workflow of a registration do what its row says, whether it runs already or not. */
  reviseRegistration(registrationId: string, summary: string): Promise<void>;
  /** Starts the workflow of a sign-in that somebody has to make, or does nothing when it runs. */
  startAuthorization(authorizationId: string, summary: string): Promise<void>;
  /** Notifies the workflow that the person has signed in; false when no such workflow runs. */
  settleAuthorization(authorizationId: string): Promise<boolean>;
  /** Starts the workflow that delivers a message to its channel, or does nothing when it runs. */
  startChannelMessage(messageId: string, summary: string): Promise<void>;
  /** Starts the workflow that runs the service of a preview, or does nothing when it runs. */
  startServicePreview(previewId: string, summary: string): Promise<void>;
  /** False when no such workflow runs. */
  signalServicePreview(previewId: string, signal: ServiceSignal): Promise<boolean>;
  /** Tells the run of a schedule that its session may have ended; false when no such workflow runs. */
  signalScheduledRun(due: DueRun): Promise<boolean>;
  /** Starts the request's workflow, or does nothing when it runs. */
  startPermissionRequest(requestId: string, summary: string): Promise<void>;
  /**
   * Has a stored decision carried out. Fails with `already_decided` when the request was closed otherwise.
   */
  decide(requestId: string, decisionId: string, summary: string): Promise<RequestOutcome>;
  /** Has a stored approval carried out that answers no request; returns when the grant is written. */
  runGrant(grantId: string, decisionId: string, summary: string): Promise<void>;
}

/** The approval has expired by then: a retry is pointless. */
const grantTimeout = '10 minutes';

const listPageSize = 1000;
/** For all pages. Without a limit a client waits for as long as Temporal does not answer. */
const listLimitMs = 30_000;

/** `sessionsQueue`: the task queue for sessions, after which the others are named. */
export function createWorkflows(client: TemporalClient, sessionsQueue: string): Workflows {
  const queues = taskQueues(sessionsQueue);
  const optionsOf = <Input>(
    { id, queue }: { id: (subjectId: string) => string; queue: QueueName },
    subjectId: string,
    { input, summary }: { input: Input; summary: string },
  ) => ({
    workflowId: id(subjectId),
    workflowIdConflictPolicy: 'USE_EXISTING' as const,
    taskQueue: queues[queue],
    args: [input] as [Input],
    staticSummary: summary,
  });
  const requestOptions = (requestId: string, summary: string) => {
    const input: PermissionRequestWorkflowInput = { requestId };
    return optionsOf(permissionRequestWorkflowContract, requestId, { input, summary });
  };
  return {
    async startSession(sessionId, summary) {
      const input: SessionWorkflowInput = { sessionId };
      await client.start<WorkflowOf<typeof sessionWorkflowContract>>(
        sessionWorkflowContract.type,
        optionsOf(sessionWorkflowContract, sessionId, { input, summary }),
      );
    },
    signalSession: (sessionId, signal) => signalSession(client, sessionId, signal),
    listRunning: () => listRunning(client, Object.values(queues)),
    ...checkCalls(client, optionsOf),
    async reviseRegistration(registrationId, summary) {
      const { type, signals } = mcpRegistrationWorkflowContract;
      const input: McpRegistrationWorkflowInput = { registrationId };
      const options = optionsOf(mcpRegistrationWorkflowContract, registrationId, { input, summary });
      await client.signalWithStart<WorkflowOf<typeof mcpRegistrationWorkflowContract>>(type, {
        ...options,
        signal: signals.registrationRevised,
      });
    },
    ...authorizationCalls(client, optionsOf),
    ...messageCalls(client, optionsOf),
    ...serviceCalls(client, optionsOf),
    signalScheduledRun: (due) =>
      wasTaken(
        client
          .getHandle(scheduledRunWorkflowId(due))
          .signal(scheduledRunWorkflowContract.signals.scheduledSessionEnded),
      ),
    async startPermissionRequest(requestId, summary) {
      await client.start<WorkflowOf<typeof permissionRequestWorkflowContract>>(
        permissionRequestWorkflowContract.type,
        requestOptions(requestId, summary),
      );
    },
    decide(requestId, decisionId, summary) {
      const startWorkflowOperation = new WithStartWorkflowOperation<
        WorkflowOf<typeof permissionRequestWorkflowContract>
      >(permissionRequestWorkflowContract.type, requestOptions(requestId, summary));
      return client.executeUpdateWithStart<
        WorkflowOf<typeof permissionRequestWorkflowContract>,
        RequestOutcome,
        [DecideInput]
      >(permissionRequestWorkflowContract.updates.decide, {
        updateId: decisionId,
        args: [{ decisionId }],
        startWorkflowOperation,
      });
    },
    async runGrant(grantId, decisionId, summary) {
      const input: GrantWorkflowInput = { decisionId };
      await client.execute<WorkflowOf<typeof grantWorkflowContract>>(grantWorkflowContract.type, {
        ...optionsOf(grantWorkflowContract, grantId, { input, summary }),
        workflowExecutionTimeout: grantTimeout,
      });
    },
  };
}

type OptionsOf = <Input>(
  contract: { id: (subjectId: string) => string; queue: QueueName },
  subjectId: string,
  start: { input: Input; summary: string },
) => WorkflowStartOptions & { args: [Input] };

function checkCalls(client: TemporalClient, optionsOf: OptionsOf) {
  return {
    async startCheck(checkId: string, summary: string) {
      const input: McpCheckWorkflowInput = { checkId };
      await client.start<WorkflowOf<typeof mcpCheckWorkflowContract>>(
        mcpCheckWorkflowContract.type,
        optionsOf(mcpCheckWorkflowContract, checkId, { input, summary }),
      );
    },
    cancelCheck: (checkId: string) => {
      const { id, signals } = mcpCheckWorkflowContract;
      return signalOrEnd(client.getHandle(id(checkId)), signals.cancelCheck);
    },
  };
}

function authorizationCalls(
  client: TemporalClient,
  optionsOf: OptionsOf,
): Pick<Workflows, 'startAuthorization' | 'settleAuthorization'> {
  return {
    async startAuthorization(authorizationId, summary) {
      const input: AuthorizationWorkflowInput = { authorizationId };
      await client.start<WorkflowOf<typeof authorizationWorkflowContract>>(
        authorizationWorkflowContract.type,
        optionsOf(authorizationWorkflowContract, authorizationId, { input, summary }),
      );
    },
    settleAuthorization: (authorizationId) => {
      const { id, signals } = authorizationWorkflowContract;
      return wasTaken(client.getHandle(id(authorizationId)).signal(signals.authorizationSettled));
    },
  };
}

function messageCalls(client: TemporalClient, optionsOf: OptionsOf): Pick<Workflows, 'startChannelMessage'> {
  return {
    async startChannelMessage(messageId, summary) {
      const input: ChannelMessageWorkflowInput = { messageId };
      await client.start<WorkflowOf<typeof channelMessageWorkflowContract>>(
        channelMessageWorkflowContract.type,
        optionsOf(channelMessageWorkflowContract, messageId, { input, summary }),
      );
    },
  };
}

function serviceCalls(
  client: TemporalClient,
  optionsOf: OptionsOf,
): Pick<Workflows, 'startServicePreview' | 'signalServicePreview'> {
  const { type, id, signals } = servicePreviewWorkflowContract;
  return {
    async startServicePreview(previewId, summary) {
      const input: ServicePreviewWorkflowInput = { previewId };
      await client.start<WorkflowOf<typeof servicePreviewWorkflowContract>>(
        type,
        optionsOf(servicePreviewWorkflowContract, previewId, { input, summary }),
      );
    },
    signalServicePreview: (previewId, signal) =>
      wasTaken(client.getHandle(id(previewId)).signal(signals[signal])),
  };
}

function signalSession(client: TemporalClient, sessionId: string, signal: SessionSignal): Promise<boolean> {
  const handle = client.getHandle(sessionWorkflowId(sessionId));
  const { agentEnded, terminate } = sessionWorkflowContract.signals;
  switch (signal) {
    case terminate:
      return end(handle);
    case agentEnded:
      return signalOrEnd(handle, signal);
    default:
      return wasTaken(handle.signal(signal));
  }
}

function listRunning(client: TemporalClient, queues: readonly string[]): Promise<ReadonlySet<string>> {
  const names = queues.map((queue) => `'${queue}'`);
  const query = `ExecutionStatus = 'Running' AND TaskQueue IN (${names.join(', ')})`;
  return client.withDeadline(Date.now() + listLimitMs, async () => {
    const ids = new Set<string>();
    for await (const { workflowId } of client.list({ query, pageSize: listPageSize })) {
      ids.add(workflowId);
    }
    return ids;
  });
}

/**
 * Has a workflow end by its cancellation, after which it cleans up as after a signal: Temporal limits the
 * signals of a workflow, and takes a cancellation whatever it has had before. It records one, however often
 * it is asked. False when there is no such workflow.
 */
const end = (handle: Pick<WorkflowHandle, 'cancel'>): Promise<boolean> =>
  wasTaken(handle.cancel().then(() => undefined));

/**
 * Signals a workflow to end, or cancels it where Temporal takes no more signals for it. Throws the error of
 * the signal when it failed otherwise.
 */
function signalOrEnd(handle: Pick<WorkflowHandle, 'signal' | 'cancel'>, signal: string): Promise<boolean> {
  const signalled = handle.signal(signal).catch(async (error: unknown) => {
    if (!takesNoMoreSignals(error)) {
      throw error;
    }
    await handle.cancel();
  });
  return wasTaken(signalled);
}

/** Of gRPC: the signals that are sent so have no arguments that could be wrong. */
const invalidArgument = 3;

const takesNoMoreSignals = (error: unknown): boolean =>
  error instanceof ServiceError && isGrpcServiceError(error.cause) && error.cause.code === invalidArgument;

/** False when no such workflow runs. */
function wasTaken(signalled: Promise<void>): Promise<boolean> {
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
