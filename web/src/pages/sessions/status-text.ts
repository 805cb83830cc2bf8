/** A session's status for people. Pure. */
import type { Session } from '../../api/types.ts';

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
  terminated: 'Terminated',
};

export const sessionStatusColor: Record<SessionStatus, string> = {
  pending: 'gray',
  validating: 'gray',
  awaiting_authorization: 'yellow',
  starting: 'gray',
  running: 'blue',
  completed: 'green',
  failed: 'red',
  terminated: 'orange',
};

const terminal: ReadonlySet<SessionStatus> = new Set(['completed', 'failed', 'terminated']);

export const hasEnded = (status: SessionStatus): boolean => terminal.has(status);

/** What a session shows of itself: its status, or whom it waits for while it runs. */
export type ShownState = SessionStatus | `waiting_for_${NonNullable<Session['waiting_for']>}`;

export const sessionStates: readonly ShownState[] = [
  'waiting_for_approval',
  'waiting_for_answer',
  ...sessionStatuses,
];

export const stateOf = ({
  status,
  waiting_for: wait,
}: Pick<Session, 'status' | 'waiting_for'>): ShownState => (wait === null ? status : `waiting_for_${wait}`);

export function sessionStateLabel(state: ShownState): string {
  switch (state) {
    case 'waiting_for_approval':
      return 'Waiting for approval';
    case 'waiting_for_answer':
      return 'Waiting for answer';
    default:
      return sessionStatusLabel[state];
  }
}

export const sessionStateColor = (state: ShownState): string =>
  state === 'waiting_for_approval' || state === 'waiting_for_answer' ? 'yellow' : sessionStatusColor[state];

/** The filter of the list of sessions for a state. */
export function filterOf(state: ShownState): {
  status?: SessionStatus;
  waiting_for?: NonNullable<Session['waiting_for']>;
} {
  switch (state) {
    case 'waiting_for_approval':
      return { waiting_for: 'approval' };
    case 'waiting_for_answer':
      return { waiting_for: 'answer' };
    default:
      return { status: state };
  }
}
