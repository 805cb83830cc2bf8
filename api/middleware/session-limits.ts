/**
 * Limits what the sidecar of one session may request of this process. Its own limits are tighter: these hold for a
 * compromised sidecar, so that no session exhausts the connections and the time that all share.
 */
import type { Context } from 'koa';
import type { ApiConfig } from '../../config/api.ts';
import { createOccupancy, leaveOnClose } from './occupancy.ts';
import { createRateLimiter } from './rate-limit.ts';
import { requestState } from './request-state.ts';

export interface SessionLimits {
  /** Begins a request, which ends with its answer. Throws `rate_limited`, naming the limit. */
  begin(ctx: Context, sessionId: string): void;
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
  const enter = createOccupancy({
    name: 'requests of the sidecar of a session at a time',
    limit: settings.LIMIT_SESSION_CONCURRENT_REQUESTS,
  });
  return {
    begin(ctx, sessionId) {
      requests.take(sessionId);
      const announcedBytes = announcedBytesOf(ctx);
      if (announcedBytes === null) {
        bytes.check(sessionId);
        requestState(ctx).countBody = (count) => bytes.take(sessionId, count);
      } else {
        bytes.take(sessionId, announcedBytes);
      }
      leaveOnClose(ctx.res, enter(sessionId));
    },
  };
}

/** Null for a body without a length, whose bytes count as they arrive. */
function announcedBytesOf(ctx: Context): number | null {
  const isChunked = ctx.get('Transfer-Encoding') !== '';
  return isChunked ? null : Math.max(0, Number(ctx.get('Content-Length')) || 0);
}
