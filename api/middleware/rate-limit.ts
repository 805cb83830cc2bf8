/** Token buckets in memory: each key may burst to its limit and refills steadily. One set per API process. */
import { ApiError } from '../errors.ts';

const minuteMs = 60_000;
/** Beyond this many keys the least recently used one is evicted, so that many addresses cannot exhaust memory. */
const maxKeys = 50_000;

export interface RateLimiter {
  /**
   * Takes tokens of `key`, one by default; a count above the bucket's capacity takes a full bucket. Throws `rate_limited` naming the limit,
   * with the seconds until there are enough.
   */
  take(key: string, count?: number): void;
  /** Throws as `take` when no token is left, and takes none. */
  check(key: string): void;
  /** Takes one token for something that has already happened; the resulting debt is at most the limit. */
  charge(key: string): void;
}

export function createRateLimiter(
  limit: { name: string; perMinute: number },
  nowMs: () => number = () => performance.now(),
): RateLimiter {
  // In the order of last use: a key moves to the end with each use.
  const buckets = new Map<string, { tokens: number; atMs: number }>();
  const perMs = limit.perMinute / minuteMs;

  const tokensOf = (key: string, atMs: number): number => {
    const bucket = buckets.get(key);
    return bucket === undefined
      ? limit.perMinute
      : Math.min(limit.perMinute, bucket.tokens + (atMs - bucket.atMs) * perMs);
  };
  const keep = (key: string, tokens: number, atMs: number) => {
    buckets.delete(key);
    buckets.set(key, { tokens, atMs });
    const [oldest] = buckets.keys();
    if (buckets.size > maxKeys && oldest !== undefined) {
      buckets.delete(oldest);
    }
  };
  const requireTokens = (tokens: number, wanted: number) => {
    if (tokens < wanted) {
      throw new ApiError('rate_limited', `The limit is ${limit.perMinute} ${limit.name}`, {
        retryAfterSeconds: Math.ceil((wanted - tokens) / perMs / 1000),
      });
    }
  };

  return {
    take(key, count = 1) {
      const atMs = nowMs();
      const tokens = tokensOf(key, atMs);
      const wanted = Math.min(count, limit.perMinute);
      keep(key, tokens >= wanted ? tokens - wanted : tokens, atMs);
      requireTokens(tokens, wanted);
    },
    check: (key) => requireTokens(tokensOf(key, nowMs()), 1),
    charge(key) {
      const atMs = nowMs();
      keep(key, Math.max(-limit.perMinute, tokensOf(key, atMs) - 1), atMs);
    },
  };
}
