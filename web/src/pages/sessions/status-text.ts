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
  validating: 'Checking the configuration',
  awaiting_authorization: 'Waiting for a sign-in',
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
