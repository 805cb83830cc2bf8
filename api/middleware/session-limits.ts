/**
 * What the sidecar of one session may ask of this process (design 13). Its own limits are tighter: these hold for one that was taken
 * over, so that no session takes the connections and the time that all share.
 */
import type { Context } from 'koa';
import type { ApiConfig } from '../../config/api.ts';
import { ApiError } from '../errors.ts';
import { createRateLimiter } from './rate-limit.ts';

export interface SessionLimits {
  /** Begins a request, which ends with its answer. Throws `rate_limited`, naming the limit. */
  begin(ctx: Context, sessionId: string): void;
}

type Settings = Pick<
  ApiConfig,
  | 'RATE_SESSION_REQUESTS_PER_MINUTE'
  | 'RATE_SESSION_BYTES_PER_MINUTE'
  | 'LIMIT_SESSION_CONCURRENT_REQUESTS'
  | 'LIMIT_BODY_BYTES'
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
      bytes.take(sessionId, sizeOf(ctx, settings.LIMIT_BODY_BYTES));
      ctx.res.once('close', enter(sessionId));
    },
  };
}

/** A body without a length may have as much as any. */
function sizeOf(ctx: Context, limitBytes: number): number {
  const announced = ctx.get('Content-Length');
  const isChunked = ctx.get('Transfer-Encoding') !== '';
  return isChunked ? limitBytes : Math.max(0, Number(announced) || 0);
}

/** Returns a function that enters for a key, or throws `rate_limited`, and returns how to leave, which is safe to call again. */
export function createOccupancy({
  name,
  limit,
}: {
  name: string;
  limit: number;
}): (key: string) => () => void {
  const inside = new Map<string, number>();
  return (key) => {
    const now = inside.get(key) ?? 0;
    if (now >= limit) {
      throw new ApiError('rate_limited', `The limit is ${limit} ${name}`, { retryAfterSeconds: 1 });
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
