/**
 * What Temporal is asked once a row is stored. The row counts: its answer goes out although Temporal has
 * none, since whoever waits for it sends the request again.
 */
import type { Logger } from 'pino';
import { abandonAfter } from '../lib/timing/time-limit.ts';
import { ApiError } from './errors.ts';

/** How long a person's request waits for Temporal, of the two seconds that an answer may take. */
export const temporalWaitMs = 1_500;

/**
 * Waits for a moment, and returns what was asked or throws what it threw; throws `unavailable` when it is
 * later, and has no effect on it.
 */
export function forAMoment<Result>(asked: Promise<Result>): Promise<Result> {
  return abandonAfter(temporalWaitMs, asked, () => {
    throw new ApiError('unavailable', 'Temporal does not answer now', { retryAfterSeconds: 5 });
  });
}

/**
 * Waits for a moment for what follows from a stored row. `later` says for the log what then happens
 * later: what takes longer goes on by itself, and what failed is done by a worker's sweep, which every
 * caller has. Never throws.
 */
export async function followUp(
  log: Pick<Logger, 'warn'>,
  asked: Promise<unknown>,
  later: { message: string; [subject: `${string}_id`]: string },
): Promise<void> {
  const { message, ...subject } = later;
  await forAMoment(asked).catch((err: unknown) => log.warn({ err, ...subject }, message));
}
