/**
 * Limits what the sidecar of one session may request of this process. Its own limits are tighter: these hold
 * for a compromised sidecar, so that no session exhausts the connections and the time that all share.
 */
import type { Context } from 'koa';
import type { ApiConfig } from '../../config/api.ts';
import { createConcurrencyLimit, type Leave } from './concurrency-limit.ts';
import { announcedBytes } from './held-bodies.ts';
import { createRateLimiter } from './rate-limit.ts';
import { requestState } from './request-state.ts';

export interface SessionLimits {
  /** Begins a request and returns how to end it. Throws `rate_limited`, naming the limit. */
  begin(ctx: Context, sessionId: string): Leave;
}

type Settings = Pick<
  ApiConfig,
  'RATE_SESSION_REQUESTS_PER_MINUTE' | 'RATE_SESSION_BYTES_PER_MINUTE' | 'LIMIT_SESSION_CONCURRENT_REQUESTS'
>;

export function createSessionLimits(settings: Settings): SessionLimits {
  const requests = createRateLimiter({
    name: 'requests a minute of the sidecar of a session',
    perMinute: settings.RATE_SESSION_REQUESTS_PER_MINUTE,
  });
  const bytes = createRateLimiter({
    name: 'bytes a minute of the sidecar of a session',
    perMinute: settings.RATE_SESSION_BYTES_PER_MINUTE,
  });
  const enter = createConcurrencyLimit({
    name: 'requests of the sidecar of a session at a time',
    limit: settings.LIMIT_SESSION_CONCURRENT_REQUESTS,
  });
  return {
    begin(ctx, sessionId) {
      requests.take(sessionId);
      const announced = announcedBytes(ctx);
      if (announced === null) {
        bytes.check(sessionId);
        requestState(ctx).countBody = (count) => bytes.take(sessionId, count);
      } else {
        bytes.take(sessionId, announced);
      }
      return enter(sessionId);
    },
  };
}
