/**
 * What a session's workflow has been notified of so far. Handlers only set flags here;
 * `session-workflow.ts` acts on them.
 */
import { setHandler } from '@temporalio/workflow';
import type { SessionProgress, SessionWorkflowInput } from '../contract/workflows.ts';
import {
  agentEnded,
  inputAvailable,
  patchRequested,
  sessionProgress,
  sidecarReady,
  terminate,
  workloadChanged,
} from './messages.ts';
import { type Owner, showOwner, showProgress } from './visibility.ts';

export class SessionState {
  readonly sessionId: string;
  ready = false;
  inputsWaiting = false;
  workloadChanged = false;
  patchRequested = false;
  patchIsMade = false;
  agentEnded = false;
  terminateRequested = false;
  progress: SessionProgress = { status: 'pending', step: 'Starting', since: now() };
  searchAttributesKnown = false;

  constructor(sessionId: string) {
    this.sessionId = sessionId;
  }

  get endRequested(): boolean {
    return this.agentEnded || this.terminateRequested;
  }

  belongsTo({ workspaceId, subject, searchAttributesKnown }: Owner): void {
    this.searchAttributesKnown = searchAttributesKnown;
    showOwner({ workspaceId, sessionId: this.sessionId, subject, searchAttributesKnown });
  }

  show(status: string, step: string): void {
    this.progress = { status, step, since: now() };
    showProgress(status, step, this.searchAttributesKnown);
  }
}

/** Registers every handler before anything is awaited, so that no message is missed. */
export function setUpSession(input: SessionWorkflowInput): SessionState {
  const state = new SessionState(input.sessionId);
  setHandler(sidecarReady, () => {
    state.ready = true;
    state.inputsWaiting = true;
  });
  setHandler(inputAvailable, () => {
    state.inputsWaiting = true;
  });
  setHandler(patchRequested, () => {
    state.patchRequested = true;
  });
  setHandler(agentEnded, () => {
    state.agentEnded = true;
  });
  setHandler(workloadChanged, () => {
    state.workloadChanged = true;
  });
  setHandler(terminate, () => {
    state.terminateRequested = true;
  });
  setHandler(sessionProgress, () => state.progress, { description: 'Where the session is, and since when' });
  return state;
}

function now(): string {
  return new Date(Date.now()).toISOString();
}
