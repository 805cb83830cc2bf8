/** Limits how many operations of one kind run concurrently per key, in this process. */
import type { ServerResponse } from 'node:http';
import { createKeyedSemaphore, type Release } from '../../lib/limits/semaphore.ts';
import { createSharedPermits } from '../../lib/limits/shared-permits.ts';
import { ApiError } from '../errors.ts';

/** Leaves; idempotent. */
export type Leave = Release;

/**
 * Returns a function that enters for a key and returns how to leave. It throws `rate_limited` naming the
 * limit when `limit` are already inside.
 */
export function createConcurrencyLimit({
  name,
  limit,
  retryAfterSeconds = 1,
}: {
  name: string;
  limit: number;
  retryAfterSeconds?: number;
}): (key: string) => Leave {
  const semaphore = createKeyedSemaphore();
  return (key) => {
    const release = semaphore.tryAcquire({ key, permits: limit });
    if (release === null) {
      throw new ApiError('rate_limited', `The limit is ${limit} ${name}`, { retryAfterSeconds });
    }
    return release;
  };
}

export interface SharesOptions<Owner extends string> {
  name: string;
  /** Of all together, in this process. */
  whole: number;
  /** Of each owner of a kind; smaller than the whole, so that nobody takes all of it. */
  shares: Readonly<Record<Owner, number>>;
  retryAfterSeconds?: number;
}

/**
 * Returns a function that enters for one owner of each kind and returns how to leave; an owner who is
 * null has no share of that kind. It throws `rate_limited`, naming the limit, when the share of one of
 * them is taken, or the whole.
 */
export function createShares<Owner extends string>({
  name,
  whole,
  shares,
  retryAfterSeconds = 1,
}: SharesOptions<Owner>): (owners: Readonly<Record<Owner, string | null>>) => Leave {
  const take = createSharedPermits({ whole, shares });
  return (owners) => {
    const taken = take(owners);
    if (typeof taken === 'function') {
      return taken;
    }
    const { full } = taken;
    const [limit, whose] = full === 'whole' ? [whole, 'of all users'] : [shares[full], `per ${full}`];
    throw new ApiError('rate_limited', `The limit is ${limit} ${name} ${whose}`, { retryAfterSeconds });
  };
}

/**
 * Leaves when the response has been sent or its connection has closed; now, when that has happened: there is
 * no event for it any more.
 */
export function leaveOnClose(
  response: Pick<ServerResponse, 'closed' | 'destroyed' | 'once'>,
  leave: Leave,
): void {
  if (response.destroyed || response.closed) {
    leave();
  } else {
    response.once('close', leave);
  }
}
