/** A session's status for people. Pure. */

import type { Session } from '../../api/types.ts';
import type { Tone } from '../../text/tone.ts';

export type SessionStatus = Session['status'];

export const sessionStatuses: readonly SessionStatus[] = [
  'pending',
  'validating',
  'awaiting_authorization',
  'starting',
  'running',
  'completed',
  'failed',
  'terminated',
];

export const sessionStatusLabel: Record<SessionStatus, string> = {
  pending: 'Waiting to start',
  validating: 'Checking configuration',
  awaiting_authorization: 'Waiting for sign-in',
  starting: 'Starting',
  running: 'Running',
  completed: 'Completed',
  failed: 'Failed',
  terminated: 'Stopped',
};

export const sessionStatusTone: Record<SessionStatus, Tone> = {
  pending: 'idle',
  validating: 'idle',
  awaiting_authorization: 'wait',
  starting: 'idle',
  running: 'run',
  completed: 'ok',
  failed: 'fail',
  terminated: 'idle',
};

const terminal: ReadonlySet<SessionStatus> = new Set(['completed', 'failed', 'terminated']);

export const hasEnded = (status: SessionStatus): boolean => terminal.has(status);

/** What a session shows of itself: its status, or whom it waits for while it runs. */
export type ShownState = SessionStatus | WaitingState;

type Wait = NonNullable<Session['waiting_for']>;
type WaitingState = `waiting_for_${Wait}`;

const waits: Record<WaitingState, { wait: Wait; label: string }> = {
  waiting_for_approval: { wait: 'approval', label: 'Waiting for approval' },
  waiting_for_sign_in: { wait: 'sign_in', label: 'Waiting for sign-in' },
  waiting_for_answer: { wait: 'answer', label: 'Waiting for answer' },
};

const isWaiting = (state: ShownState): state is WaitingState => state in waits;

/**
 * What the list of sessions can be filtered by: a session waits for sign-in before it runs
 * as it does while it runs.
 */
export const sessionStates: readonly ShownState[] = [
  'waiting_for_approval',
  'waiting_for_sign_in',
  'waiting_for_answer',
  ...sessionStatuses.filter((status) => status !== 'awaiting_authorization'),
];

export const stateOf = ({
  status,
  waiting_for: wait,
}: Pick<Session, 'status' | 'waiting_for'>): ShownState => (wait === null ? status : `waiting_for_${wait}`);

export const sessionStateLabel = (state: ShownState): string =>
  isWaiting(state) ? waits[state].label : sessionStatusLabel[state];

export const sessionStateTone = (state: ShownState): Tone =>
  isWaiting(state) ? 'wait' : sessionStatusTone[state];

/** The filter of the list of sessions for a state. */
export const filterOf = (state: ShownState): { status?: SessionStatus; waiting_for?: Wait } =>
  isWaiting(state) ? { waiting_for: waits[state].wait } : { status: state };
