/** What the answer of a webhook, or the lack of one, means for the delivery. Pure. */
import type { DeliveryFailure } from '../../contract/channel.ts';
import type { OutboundErrorCode } from '../../lib/outbound/errors.ts';

export type Verdict =
  | { kind: 'delivered' }
  /** No further attempt changes it. */
  | { kind: 'failed'; failure: DeliveryFailure }
  /** `afterMs`: how long the webhook asks to be left alone; null when it does not say. */
  | { kind: 'try_again'; failure: DeliveryFailure; afterMs: number | null };

/** A webhook that asks for no pause at all would use up the attempts at once. */
const shortestPauseMs = 1000;
/** Nobody is left waiting for longer: whoever asks for more is asked again too early. */
const longestPauseMs = 10 * 60 * 1000;

export function verdictOfStatus(status: number, retryAfter: string | undefined, nowMs: number): Verdict {
  if (status >= 200 && status < 300) {
    return { kind: 'delivered' };
  }
  const afterMs = pauseOf(retryAfter, nowMs);
  if (status === 429) {
    return { kind: 'try_again', failure: 'rate_limited', afterMs };
  }
  return status >= 500 || status === 408 || status === 425
    ? { kind: 'try_again', failure: 'receiver_failed', afterMs }
    : { kind: 'failed', failure: 'rejected' };
}

/** `Retry-After` in seconds or as a date; null for anything else. */
function pauseOf(header: string | undefined, nowMs: number): number | null {
  if (header === undefined) {
    return null;
  }
  const isDate = /^[a-z]{3,9},? /i.test(header);
  const ms = /^\d{1,9}$/.test(header)
    ? Number(header) * 1000
    : isDate
      ? Date.parse(header) - nowMs
      : Number.NaN;
  return Number.isFinite(ms) ? Math.min(Math.max(ms, shortestPauseMs), longestPauseMs) : null;
}

export function verdictOfError(code: OutboundErrorCode): Verdict {
  switch (code) {
    case 'address_refused':
    case 'insecure':
      return { kind: 'failed', failure: 'address_refused' };
    case 'redirect_refused':
    case 'too_many_redirects':
      return { kind: 'failed', failure: 'redirected' };
    case 'timed_out':
      return { kind: 'try_again', failure: 'timed_out', afterMs: null };
    default:
      return { kind: 'try_again', failure: 'unreachable', afterMs: null };
  }
}
