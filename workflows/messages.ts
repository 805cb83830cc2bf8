/** Every signal, update and query of every workflow, with the inputs. Payloads carry references only (design 2, 6). */
import { defineQuery, defineSignal, defineUpdate } from '@temporalio/workflow';
import type { TerminalStatus } from '../contract/session.ts';

export interface SessionWorkflowInput {
  sessionId: string;
  /** Events after which the workflow continues as a new run; left out except in tests. */
  historyLimit?: number;
  /** Carried from one run to the next; never set by whoever starts a session. */
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

export interface PermissionRequestWorkflowInput {
  requestId: string;
}

export interface GrantWorkflowInput {
  decisionId: string;
}

export interface McpCheckWorkflowInput {
  checkId: string;
}
/** Somebody cancelled the check; that is on its row. */
export const cancelCheck = defineSignal('cancelCheck');

/** The sidecar listens on every socket. */
export const sidecarReady = defineSignal('sidecarReady');
/** A row was added to `session_inputs`. */
export const inputAvailable = defineSignal('inputAvailable');
/** The agent called `end_session`; the outcome is on the session's row. */
export const agentEnded = defineSignal('agentEnded');
/** A human, or the removal of one, ends the session; the reason is on the session's row. */
export const terminate = defineSignal('terminate');

/** How a session ended: one closed value, decided once. */
export type SessionEnding = { status: TerminalStatus; reason: string };

/** What an operator reads in the Temporal UI. */
export interface SessionProgress {
  status: string;
  step: string;
  since: string;
}
export const sessionProgress = defineQuery<SessionProgress>('progress');

/** How a permission request closed. */
export type RequestOutcome = {
  status: 'approved' | 'denied' | 'expired' | 'cancelled';
  grantId: string | null;
};

/** Carries a stored decision out. Refused with `already_decided` once the request is closed. */
export const decide = defineUpdate<RequestOutcome, [{ decisionId: string }]>('decide');
/** The session ended: an open request is cancelled. */
export const sessionEnded = defineSignal('sessionEnded');
export const requestProgress = defineQuery<{ status: string }>('progress');
