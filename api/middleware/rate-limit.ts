/** Token buckets in memory: each key may burst to its limit and refills steadily (design 13). One set per API process. */
import { ApiError } from '../errors.ts';

const minuteMs = 60_000;
/** More keys than this at once and full buckets are forgotten, so that many addresses cannot fill the memory. */
const maxKeys = 50_000;

export interface RateLimiter {
  /** Takes one token of `key`. Throws `rate_limited` naming the limit, with the seconds until the next token. */
  take(key: string): void;
}

export function createRateLimiter(
  limit: { name: string; perMinute: number },
  now: () => number = () => performance.now(),
): RateLimiter {
  const buckets = new Map<string, { tokens: number; atMs: number }>();
  const refilled = (bucket: { tokens: number; atMs: number }, atMs: number) =>
    Math.min(limit.perMinute, bucket.tokens + ((atMs - bucket.atMs) / minuteMs) * limit.perMinute);

  const forgetFull = (atMs: number) => {
    for (const [key, bucket] of buckets) {
      if (refilled(bucket, atMs) >= limit.perMinute) {
        buckets.delete(key);
      }
    }
  };

  return {
    take(key) {
      const atMs = now();
      if (buckets.size >= maxKeys && !buckets.has(key)) {
        forgetFull(atMs);
      }
      const bucket = buckets.get(key);
      const tokens = bucket === undefined ? limit.perMinute : refilled(bucket, atMs);
      buckets.set(key, { tokens: tokens >= 1 ? tokens - 1 : tokens, atMs });
      if (tokens < 1) {
        const retryAfterSeconds = Math.ceil(((1 - tokens) * minuteMs) / limit.perMinute / 1000);
        throw new ApiError('rate_limited', `The limit is ${limit.perMinute} ${limit.name}`, {
          retryAfterSeconds,
        });
      }
    },
  };
}
