/** Limits how many operations of one kind run concurrently per key, in this process. */
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
