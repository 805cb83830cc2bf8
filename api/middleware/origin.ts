/** Refuses state-changing requests that a page of another site sent with our cookie. */
import type { Context, Next } from 'koa';
import type { ApiConfig } from '../../config/api.ts';
import { forbidden } from '../errors.ts';
import { loopbackOrigin } from './host.ts';

const readOnly = new Set(['GET', 'HEAD', 'OPTIONS']);

/** A request without Origin and Sec-Fetch-Site does not come from a browser's page; then the cookie alone decides. */
export function checkOrigin(settings: Pick<ApiConfig, 'HOST' | 'PUBLIC_URL'>) {
  const publicOrigin = settings.PUBLIC_URL === undefined ? null : new URL(settings.PUBLIC_URL).origin;
  return async (ctx: Context, next: Next): Promise<void> => {
    if (!readOnly.has(ctx.method)) {
      const origin = ctx.headers.origin;
      const site = ctx.headers['sec-fetch-site'];
      const own = origin === publicOrigin || origin === loopbackOrigin(settings, ctx.get('Host'));
      if ((origin !== undefined && !own) || (site !== undefined && site !== 'same-origin')) {
        throw forbidden('Requests that change something must come from the same origin');
      }
    }
    await next();
  };
}
