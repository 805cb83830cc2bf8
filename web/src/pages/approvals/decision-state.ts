/** The state of a decision that was sent, and whether to resend it while it is unconfirmed. Pure. */
import { ApiFailure, isTransient } from '../../api/failure.ts';
import type { Choice } from './choices.ts';

export type Decision = { kind: 'approve'; choice: Choice } | { kind: 'deny'; reason: string; mute: boolean };

/**
 * `trying`: no answer so far, or a 5xx, and it is resent. `unanswered`: the same until it was given up.
 * `refused`: the API said why not. `too-late`: the request was decided before.
 */
export type DecisionState = 'none' | 'trying' | 'unanswered' | 'refused' | 'too-late';

export interface Sent {
  isPending: boolean;
  /** How the last attempt of several failed. */
  failureReason: unknown;
  /** Why it was given up. */
  error: unknown;
}

export function decisionState({ isPending, failureReason, error }: Sent): DecisionState {
  if (isPending) {
    return failureReason === null ? 'none' : 'trying';
  }
  if (error === null) {
    return 'none';
  }
  if (!(error instanceof ApiFailure) || isTransient(error)) {
    return 'unanswered';
  }
  return error.code === 'already_decided' ? 'too-late' : 'refused';
}

/**
 * Whether this window's decision lost against another one, which may be the same person's in another window.
 * An approval that is sent again under its key is answered as before, so one that is too late lost; a denial
 * has no key, and is refused as well when it was carried out and its answer lost.
 */
export const hasLost = (
  state: DecisionState,
  sent: 'approve' | 'deny' | null,
  closed: { status: string; isMine: boolean },
): boolean => state === 'too-late' && !(sent === 'deny' && closed.status === 'denied' && closed.isMine);

/** As long as an approval can be carried out once the platform has it on record. */
const giveUpAfterMs = 5 * 60_000;
const longestPauseMs = 8_000;

/** Of one decision, in ms since the epoch. */
interface Deadline {
  sentAtMs: number;
  expiresAtMs: number;
  nowMs: number;
}

/** Checked before each attempt too: a browser may delay a hidden tab's next one for hours. */
export const isInTime = ({ sentAtMs, expiresAtMs, nowMs }: Deadline): boolean =>
  nowMs < Math.min(expiresAtMs, sentAtMs + giveUpAfterMs);

/** Whether a decision that failed this way is resent: its idempotency key makes that safe. */
export const maySendAgain = (error: unknown, deadline: Deadline): boolean =>
  error instanceof ApiFailure && isTransient(error) && isInTime(deadline);

/** The backoff before the next attempt after `failures`, counted from 0. */
export function pauseBeforeSendingMs(failures: number, error: unknown): number {
  const asked = error instanceof ApiFailure ? error.retryAfterSeconds : null;
  return Math.min(longestPauseMs, asked === null ? 1_000 * 2 ** failures : asked * 1_000);
}
