/**
 * Logs one line per request: what was requested, by whom, and the outcome. Never bodies, sizes, query
 * values, cookies or tokens.
 */
import { randomUUID } from 'node:crypto';
import type { Context, Next } from 'koa';
import type { Logger } from 'pino';
import { beginRequest } from './request-state.ts';

/** Gives the request its id (`X-Request-Id` of the answer) and logs it when the answer has been written. */
export function logRequests(log: Logger) {
  return async (ctx: Context, next: Next): Promise<void> => {
    const startedAt = performance.now();
    const state = beginRequest(ctx, randomUUID());
    ctx.set('X-Request-Id', state.requestId);
    ctx.res.once('close', () => {
      log.info(
        {
          request_id: state.requestId,
          method: ctx.method,
          route: state.route,
          status: ctx.res.statusCode,
          complete: ctx.res.writableFinished,
          duration_ms: Math.round(performance.now() - startedAt),
          user_id: state.userId,
        },
        'request',
      );
    });
    await next();
  };
}
