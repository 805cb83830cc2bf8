/** Rate limits in memory, by key: each has a token bucket of its own. One set per API process. */
import { keepNewest } from '../../lib/limits/keep-newest.ts';
import { createTokenBucket, type TokenBucket } from '../../lib/limits/token-bucket.ts';
import { ApiError } from '../errors.ts';

/**
 * Beyond this many keys the least recently used one is evicted, so that many addresses cannot exhaust memory.
 */
const maxKeys = 50_000;

export interface RateLimiter {
  /**
   * Takes tokens of `key`, one by default; a count above the bucket's capacity takes a full bucket. Throws
   * `rate_limited` naming the limit, with the seconds until there are enough.
   */
  take(key: string, count?: number): void;
  /** Throws as `take` when no token is left, and takes none. */
  check(key: string): void;
  /** Takes one token for something that has already happened; the resulting debt is at most the limit. */
  charge(key: string): void;
}

export function createRateLimiter(
  { name, perMinute }: { name: string; perMinute: number },
  nowMs?: () => number,
): RateLimiter {
  // In the order of last use: a key moves to the end with each use.
  const buckets = new Map<string, TokenBucket>();
  const settings = { perMinute };

  const used = (key: string): TokenBucket => {
    const bucket = buckets.get(key) ?? createTokenBucket(settings, nowMs);
    buckets.delete(key);
    buckets.set(key, bucket);
    keepNewest(buckets, maxKeys);
    return bucket;
  };
  const beyond = (waitMs: number) =>
    new ApiError('rate_limited', `The limit is ${perMinute} ${name}`, {
      retryAfterSeconds: Math.max(1, Math.ceil(waitMs / 1000)),
    });

  return {
    take(key, count = 1) {
      const bucket = used(key);
      const tokens = Math.min(count, perMinute);
      if (bucket.take(tokens) === null) {
        throw beyond(bucket.untilMs(tokens));
      }
    },
    check(key) {
      const waitMs = buckets.get(key)?.untilMs() ?? 0;
      if (waitMs > 0) {
        throw beyond(waitMs);
      }
    },
    charge: (key) => used(key).charge(),
  };
}
