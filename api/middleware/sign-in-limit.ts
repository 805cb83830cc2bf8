/**
 * Bounds signing in by address. Many people may share one, so only failed attempts have a tight
 * limit; all requests together have a generous limit of their own, since each costs the API and the
 * identity provider some work.
 */
import type { ApiConfig } from '../../config/api.ts';
import { ApiError } from '../errors.ts';
import { createRateLimiter } from './rate-limit.ts';

export interface SignInLimit {
  /**
   * Runs one step of signing in from `address`. Throws `rate_limited` naming the limit,
   * else what `step` throws.
   */
  guard<Result>(address: string, step: () => Promise<Result>): Promise<Result>;
}

/** `nowMs` as for rate limits. */
export function createSignInLimit(
  config: Pick<ApiConfig, 'RATE_SIGN_IN_PER_MINUTE' | 'RATE_SIGN_IN_FAILURES_PER_MINUTE'>,
  nowMs?: () => number,
): SignInLimit {
  const requests = createRateLimiter(
    { name: 'sign-in requests a minute per address', perMinute: config.RATE_SIGN_IN_PER_MINUTE },
    nowMs,
  );
  const failures = createRateLimiter(
    { name: 'failed sign-ins a minute per address', perMinute: config.RATE_SIGN_IN_FAILURES_PER_MINUTE },
    nowMs,
  );
  return {
    async guard(address, step) {
      failures.check(address);
      requests.take(address);
      try {
        return await step();
      } catch (error) {
        if (error instanceof ApiError && error.code === 'unauthenticated') {
          failures.charge(address);
        }
        throw error;
      }
    },
  };
}
