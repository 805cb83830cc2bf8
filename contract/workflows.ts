/**
 * The public interface of every workflow: type, id and queue, input and result, signals, updates and queries.
 * These names are defined nowhere else. Payloads carry references, never values.
 */
import type { AuthorizationStatus } from './authorization.ts';
import type { DeliveryFailure, DeliveryStatus } from './channel.ts';
import type { RegistrationStatus } from './mcp-registration.ts';
import type { TerminalStatus } from './session.ts';

export const taskQueue = 'platform-v1';

/**
 * The queues of a platform, by the name of the one for sessions. Each has workers of its own, so that a full
 * one does not delay another: a human waits for a decision.
 */
export const taskQueues = (sessions: string) => ({
  /** Sessions: their workflows and short activities. */
  sessions,
  /** One activity for each check that runs. */
  watches: `${sessions}-watches`,
  /** Permission requests and grants, and the activity that writes grants. */
  decisions: `${sessions}-decisions`,
  /**
   * One activity for each message that is being delivered to a channel: a slow webhook
   * delays other messages alone.
   */
  deliveries: `${sessions}-deliveries`,
});
export type QueueName = keyof ReturnType<typeof taskQueues>;

/** To post a message to its channel, before that has failed. */
export const mostDeliveryAttempts = 10;

export const sessionWorkflowId = (sessionId: string) => `session/${sessionId}`;
/** The session that a workflow with this id serves; null for one of another type. */
export const sessionOfWorkflow = (workflowId: string): string | null =>
  workflowId.startsWith(sessionWorkflowId('')) ? workflowId.slice(sessionWorkflowId('').length) : null;
export const permissionRequestWorkflowId = (requestId: string) => `permission-request/${requestId}`;
export const grantWorkflowId = (grantId: string) => `grant/${grantId}`;
export const mcpCheckWorkflowId = (checkId: string) => `mcp-check/${checkId}`;
export const mcpRegistrationWorkflowId = (registrationId: string) => `mcp-registration/${registrationId}`;
export const authorizationWorkflowId = (authorizationId: string) => `authorization/${authorizationId}`;
export const channelMessageWorkflowId = (messageId: string) => `channel-message/${messageId}`;
export const servicePreviewWorkflowId = (previewId: string) => `service-preview/${previewId}`;
/** Temporal's copy of a schedule. */
export const temporalScheduleId = (scheduleId: string) => `schedule/${scheduleId}`;
/** The schedule that has this copy; null for one that is not the platform's. */
export const scheduleOfTemporal = (temporalId: string): string | null =>
  /^schedule\/([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/.exec(temporalId)?.[1] ?? null;

/** When a schedule is due. */
export interface DueRun {
  scheduleId: string;
  /** ISO 8601. */
  scheduledAt: string;
}
/** Temporal appends the time to the action's id, in whole seconds. */
export const scheduledRunActionId = (scheduleId: string) => `schedule-run/${scheduleId}`;
export const scheduledRunWorkflowId = ({ scheduleId, scheduledAt }: DueRun) =>
  `${scheduledRunActionId(scheduleId)}-${new Date(scheduledAt).toISOString().replace(/\.\d+Z$/, 'Z')}`;
/** What a workflow with this id is due for; null for one of another type. */
export function dueRunOf(workflowId: string): DueRun | null {
  const [, scheduleId, scheduledAt] =
    /^schedule-run\/([0-9a-f-]{36})-(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ)$/.exec(workflowId) ?? [];
  const isDue = scheduledAt !== undefined && !Number.isNaN(Date.parse(scheduledAt));
  return scheduleId === undefined || !isDue ? null : { scheduleId, scheduledAt };
}
/** Summaries shown in the Temporal UI. */
export const authorizationSummary = 'Sign-in of a person at a remote MCP server';
export const channelMessageSummary = 'Message to a channel';
export const servicePreviewSummary = 'Preview of a service';

export interface SessionWorkflowInput {
  sessionId: string;
  /** Events after which the workflow continues as a new run; left out except in tests. */
  historyLimit?: number;
  /** Carried from one run to the next; never set when a session is started. */
  resume?: SessionResume;
}

/** What a run that continues a session needs to know: ids, numbers and flags. */
export interface SessionResume {
  workspaceId: string;
  limits: SessionLimits;
  totalDeadlineMs: number;
  searchAttributesKnown: boolean;
}

export interface SessionLimits {
  startMs: number;
  totalMs: number;
  idleMs: number;
}

/** How a session ended: one closed value, decided once. */
export type SessionEnding = { status: TerminalStatus; reason: string };

/** What an operator reads in the Temporal UI. */
export interface SessionProgress {
  status: string;
  step: string;
  since: string;
}

export interface PermissionRequestWorkflowInput {
  requestId: string;
}

/** How a permission request closed. */
export type RequestOutcome = {
  status: 'approved' | 'denied' | 'expired' | 'cancelled';
  grantId: string | null;
};

export interface GrantWorkflowInput {
  decisionId: string;
}

export interface McpCheckWorkflowInput {
  checkId: string;
}

export interface McpRegistrationWorkflowInput {
  registrationId: string;
}

/**
 * The state of a registration once its workflow has nothing left to do. `unchanged`: there was nothing to do,
 * or sign-ins are to be revoked first.
 */
export interface RegistrationOutcome {
  status: RegistrationStatus | 'removed' | 'unchanged';
  /** The sentence for the admin, as on the entry. */
  reason: string | null;
}

export interface AuthorizationWorkflowInput {
  authorizationId: string;
  /** As in `SessionWorkflowInput`. */
  historyLimit?: number;
}

/** How an authorization ended. */
export interface AuthorizationOutcome {
  status: Exclude<AuthorizationStatus, 'pending'>;
}

export interface ServicePreviewWorkflowInput {
  previewId: string;
  /** As in `SessionWorkflowInput`. */
  historyLimit?: number;
  /** Carried from one run to the next: its workload was started. */
  isStarted?: boolean;
  /** Likewise. */
  searchAttributesKnown?: boolean;
}

/** How the workload of a service preview ended; `reason` is a sentence about an involuntary end. */
export type ServiceEnding = { state: 'stopped'; reason: null } | { state: 'failed'; reason: string };

/** Its time is in the workflow's id. */
export interface ScheduledRunWorkflowInput {
  scheduleId: string;
  /** As in `SessionWorkflowInput`. */
  historyLimit?: number;
  /** Carried from one run to the next: its session was started. */
  isStarted?: boolean;
}

/** The outcome of a run: its session has ended, or there was none. */
export interface ScheduledRunEnd {
  hadSession: boolean;
}

export interface ChannelMessageWorkflowInput {
  messageId: string;
  /** How often it waits for its turn before it is given up; left out except in tests. */
  mostWaits?: number;
}

/** How a message to a channel ended; `erased`: with its session or its workspace. */
export interface ChannelMessageOutcome {
  status: DeliveryStatus | 'erased';
  failure: DeliveryFailure | null;
}

/** `ended`: by itself. Everything else comes with the sentence for the check's row. */
export type ObservedCheckEnd = { kind: 'ended' } | { kind: 'failed' | 'cancelled'; reason: string };

/** The input of the update `decide`. */
export interface DecideInput {
  decisionId: string;
}

/**
 * The types of refusals, which no retry changes: a workflow fails with one, or reads one
 * in an activity's failure.
 */
export type RefusalType =
  | 'registration_refused'
  | 'launch_refused'
  | 'already_decided'
  | 'approval_invalid'
  | 'approval_expired'
  /** It counts with the answer of a passkey, and has none that does. */
  | 'passkey_required'
  | 'decision_withdrawn'
  /** The message is the code of a `DeliveryFailure`. */
  | 'delivery_failed'
  | 'unavailable';

/** What each workflow takes and returns, by its type. */
export interface WorkflowFunctions {
  sessionWorkflow: (input: SessionWorkflowInput) => Promise<SessionEnding>;
  permissionRequestWorkflow: (input: PermissionRequestWorkflowInput) => Promise<RequestOutcome>;
  /** Returns the grant's id. */
  grantWorkflow: (input: GrantWorkflowInput) => Promise<string>;
  mcpCheckWorkflow: (input: McpCheckWorkflowInput) => Promise<ObservedCheckEnd>;
  mcpRegistrationWorkflow: (input: McpRegistrationWorkflowInput) => Promise<RegistrationOutcome>;
  authorizationWorkflow: (input: AuthorizationWorkflowInput) => Promise<AuthorizationOutcome>;
  channelMessageWorkflow: (input: ChannelMessageWorkflowInput) => Promise<ChannelMessageOutcome>;
  servicePreviewWorkflow: (input: ServicePreviewWorkflowInput) => Promise<ServiceEnding>;
  scheduledRunWorkflow: (input: ScheduledRunWorkflowInput) => Promise<ScheduledRunEnd>;
}

/** What the workflow of this contract takes and returns. */
export type WorkflowOf<Contract extends WorkflowContract> = WorkflowFunctions[Contract['type']];

interface WorkflowContract {
  type: keyof WorkflowFunctions;
  queue: QueueName;
  /** Of the workflow that serves this session, request, grant or check. */
  id: (subjectId: string) => string;
  signals?: Readonly<Record<string, string>>;
  updates?: Readonly<Record<string, string>>;
  queries?: Readonly<Record<string, string>>;
}

export const sessionWorkflowContract = {
  type: 'sessionWorkflow',
  queue: 'sessions',
  id: sessionWorkflowId,
  signals: {
    /** The sidecar listens on every socket. */
    sidecarReady: 'sidecarReady',
    /** A message waits in `session_inputs` of a session that runs, and none waited before it. */
    inputAvailable: 'inputAvailable',
    /** Somebody waits for the patch of the repository: a row of `patch_requests` is open. */
    patchRequested: 'patchRequested',
    /** The agent called `end_session`; the outcome is on the session's row. */
    agentEnded: 'agentEnded',
    /** Its workload may have changed: it is looked at. A hint, which may come late, twice or never. */
    workloadChanged: 'workloadChanged',
    /**
     * A human ends the session, or their removal does; the reason is on the session's row. Sent as a
     * cancellation, which Temporal always takes.
     */
    terminate: 'terminate',
  },
  queries: { progress: 'progress' },
} as const satisfies WorkflowContract;
export const sessionSignals = sessionWorkflowContract.signals;
export type SessionSignal = keyof typeof sessionSignals;

export const permissionRequestWorkflowContract = {
  type: 'permissionRequestWorkflow',
  queue: 'decisions',
  id: permissionRequestWorkflowId,
  /** The session ended: an open request is cancelled. */
  signals: { sessionEnded: 'sessionEnded' },
  /** Carries a stored decision out. Refused with `already_decided` once the request is closed. */
  updates: { decide: 'decide' },
  queries: { progress: 'progress' },
} as const satisfies WorkflowContract;

/** Writes the grant of an approval that answers no request. */
export const grantWorkflowContract = {
  type: 'grantWorkflow',
  queue: 'decisions',
  id: grantWorkflowId,
} as const satisfies WorkflowContract;

export const mcpCheckWorkflowContract = {
  type: 'mcpCheckWorkflow',
  queue: 'sessions',
  id: mcpCheckWorkflowId,
  /** The check was cancelled, as its row says. */
  signals: { cancelCheck: 'cancelCheck' },
} as const satisfies WorkflowContract;

export const mcpRegistrationWorkflowContract = {
  type: 'mcpRegistrationWorkflow',
  queue: 'sessions',
  id: mcpRegistrationWorkflowId,
  /** Its row has something to do: a new attempt, or the removal of its entry. */
  signals: { registrationRevised: 'registrationRevised' },
} as const satisfies WorkflowContract;

export const authorizationWorkflowContract = {
  type: 'authorizationWorkflow',
  queue: 'sessions',
  id: authorizationWorkflowId,
  /** Its row may have been closed: the person has signed in. */
  signals: { authorizationSettled: 'authorizationSettled' },
} as const satisfies WorkflowContract;

/** Delivers one message to its channel. */
export const channelMessageWorkflowContract = {
  type: 'channelMessageWorkflow',
  queue: 'sessions',
  id: channelMessageWorkflowId,
} as const satisfies WorkflowContract;

/** Runs a service for one preview. */
export const servicePreviewWorkflowContract = {
  type: 'servicePreviewWorkflow',
  queue: 'sessions',
  id: servicePreviewWorkflowId,
  signals: {
    /** Its gateway listens, where the preview's row says. */
    serviceReady: 'serviceReady',
    /**
     * Its workload, its preview or its session may have changed: all are looked at. A
     * hint, as `workloadChanged`.
     */
    serviceChanged: 'serviceChanged',
  },
} as const satisfies WorkflowContract;
export const serviceSignals = servicePreviewWorkflowContract.signals;
export type ServiceSignal = keyof typeof serviceSignals;

/**
 * Temporal starts it when a schedule is due; it lasts as long as its session, so that Temporal's policies on
 * overlaps count sessions.
 */
export const scheduledRunWorkflowContract = {
  type: 'scheduledRunWorkflow',
  queue: 'sessions',
  id: scheduledRunActionId,
  signals: {
    /** Its session may have ended: it is looked at. A hint, as `workloadChanged`. */
    scheduledSessionEnded: 'scheduledSessionEnded',
  },
} as const satisfies WorkflowContract;

export const workflowContracts: readonly WorkflowContract[] = [
  sessionWorkflowContract,
  permissionRequestWorkflowContract,
  grantWorkflowContract,
  mcpCheckWorkflowContract,
  mcpRegistrationWorkflowContract,
  authorizationWorkflowContract,
  channelMessageWorkflowContract,
  servicePreviewWorkflowContract,
  scheduledRunWorkflowContract,
];

/** Search attributes that the Temporal namespace must know, by what they hold; all are of one type. */
export const searchAttributes = {
  workspace: 'PlatformWorkspace',
  session: 'PlatformSession',
  status: 'PlatformStatus',
  /** `demo/writer`: the workspace's slug, and the name of the agent or the entry. */
  subject: 'PlatformSubject',
} as const;
export const searchAttributeType = 'Keyword';
