/**
 * The public interface of every workflow: type, id and queue, input and result, signals, updates and queries.
 * These names are defined nowhere else. Payloads carry references, never values.
 */
import type { TerminalStatus } from './session.ts';

export const taskQueue = 'platform-v1';

/**
 * The queues of a platform, by the name of the one for sessions. Each has workers of its own, so that a full one does not delay
 * another: watches last as long as their sessions, and a human waits for a decision.
 */
export const taskQueues = (sessions: string) => ({
  /** Sessions: their workflows and short activities. */
  sessions,
  /** One activity for each running session. */
  watches: `${sessions}-watches`,
  /** Permission requests and grants, and the activity that writes grants. */
  decisions: `${sessions}-decisions`,
});
export type QueueName = keyof ReturnType<typeof taskQueues>;

export const sessionWorkflowId = (sessionId: string) => `session/${sessionId}`;
export const permissionRequestWorkflowId = (requestId: string) => `permission-request/${requestId}`;
export const grantWorkflowId = (grantId: string) => `grant/${grantId}`;
export const mcpCheckWorkflowId = (checkId: string) => `mcp-check/${checkId}`;
/** Summary shown in the Temporal UI. */
export const checkSummary = 'Check of a catalog entry';

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

export const sessionWorkflowContract = {
  type: 'sessionWorkflow',
  queue: 'sessions',
  id: sessionWorkflowId,
  signals: {
    /** The sidecar listens on every socket. */
    sidecarReady: 'sidecarReady',
    /** A row was added to `session_inputs`. */
    inputAvailable: 'inputAvailable',
    /** The agent called `end_session`; the outcome is on the session's row. */
    agentEnded: 'agentEnded',
    /** A human ends the session, or their removal does; the reason is on the session's row. */
    terminate: 'terminate',
  },
  queries: { progress: 'progress' },
} as const;
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
} as const;

/** Writes the grant of an approval that answers no request; returns the grant's id. */
export const grantWorkflowContract = {
  type: 'grantWorkflow',
  queue: 'decisions',
  id: grantWorkflowId,
} as const;

export const mcpCheckWorkflowContract = {
  type: 'mcpCheckWorkflow',
  queue: 'sessions',
  id: mcpCheckWorkflowId,
  /** Somebody cancelled the check; that is on its row. */
  signals: { cancelCheck: 'cancelCheck' },
} as const;

/** Search attributes that the Temporal namespace must know, with their types. */
export const searchAttributes = {
  PlatformWorkspace: 'Keyword',
  PlatformSession: 'Keyword',
  PlatformStatus: 'Keyword',
} as const;
