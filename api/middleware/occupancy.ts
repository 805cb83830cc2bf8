/** Limits how many operations of one kind run concurrently per key, in this process. */
import type { ServerResponse } from 'node:http';
import { ApiError } from '../errors.ts';

/** Leaves; idempotent. */
export type Leave = () => void;

/**
 * Returns a function that enters for a key and returns how to leave. It throws `rate_limited` naming the limit when `limit` are
 * already inside.
 */
export function createOccupancy({
  name,
  limit,
  retryAfterSeconds = 1,
}: {
  name: string;
  limit: number;
  retryAfterSeconds?: number;
}): (key: string) => Leave {
  const inside = new Map<string, number>();
  return (key) => {
    const now = inside.get(key) ?? 0;
    if (now >= limit) {
      throw new ApiError('rate_limited', `The limit is ${limit} ${name}`, { retryAfterSeconds });
    }
    inside.set(key, now + 1);
    let left = false;
    return () => {
      if (left) {
        return;
      }
      left = true;
      const others = (inside.get(key) ?? 1) - 1;
      if (others === 0) {
        inside.delete(key);
      } else {
        inside.set(key, others);
      }
    };
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
 * Returns a function that enters for one owner of each kind and returns how to leave; an owner who is null has no share of that kind. It throws `rate_limited`,
 * naming the limit, when the share of one of them is taken, or the whole.
 */
export function createShares<Owner extends string>({
  name,
  whole,
  shares,
  retryAfterSeconds = 1,
}: SharesOptions<Owner>): (owners: Readonly<Record<Owner, string | null>>) => Leave {
  const kinds = (Object.keys(shares) as Owner[]).map((kind) => ({
    kind,
    enter: createOccupancy({ name: `${name} per ${kind}`, limit: shares[kind], retryAfterSeconds }),
  }));
  const enterWhole = createOccupancy({ name: `${name} of all users`, limit: whole, retryAfterSeconds });
  return (owners) => {
    const entered: Leave[] = [];
    const leave = () => {
      for (const each of entered) {
        each();
      }
    };
    try {
      for (const { kind, enter } of kinds) {
        const owner = owners[kind];
        entered.push(...(owner === null ? [] : [enter(owner)]));
      }
      entered.push(enterWhole('all'));
    } catch (error) {
      leave();
      throw error;
    }
    return leave;
  };
}

/** Leaves when the response has been sent or its connection has closed; now, when that has happened: there is no event for it any more. */
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
