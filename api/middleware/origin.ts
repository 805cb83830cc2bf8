/** Refuses what a page of another origin has a browser send with our cookie. */
import type { Context, Next } from 'koa';
import type { ApiConfig } from '../../config/api.ts';
import { originIn } from '../../config/public-url.ts';
import { forbidden } from '../errors.ts';
import { loopbackOrigin } from './host.ts';
import { requestState } from './request-state.ts';

const readOnly = new Set(['GET', 'HEAD', 'OPTIONS']);

/**
 * Changes are refused at once. What reads is noted: people are led to pages, and back from signing in, by
 * links of other sites, while routes that need to know who asks refuse it (`requireOwnPage`). A request
 * without Origin and Sec-Fetch-Site does not come from a browser's page; then the cookie alone decides.
 */
export function checkOrigin(settings: Pick<ApiConfig, 'HOST' | 'PUBLIC_URL'>) {
  const isPublic = (origin: string) =>
    settings.PUBLIC_URL !== undefined && originIn(origin) === settings.PUBLIC_URL;
  return async (ctx: Context, next: Next): Promise<void> => {
    const isRead = readOnly.has(ctx.method);
    const origin = ctx.headers.origin;
    const site = ctx.headers['sec-fetch-site'];
    const isOwn = (text: string) => isPublic(text) || text === loopbackOrigin(settings, ctx.get('Host'));
    // A person who types an address comes from no site.
    const isOwnSite = site === 'same-origin' || (isRead && site === 'none');
    const isForeign = (origin !== undefined && !isOwn(origin)) || (site !== undefined && !isOwnSite);
    if (isForeign && !isRead) {
      throw forbidden('Requests that change something must come from the same origin');
    }
    requestState(ctx).isForeign = isForeign;
    await next();
  };
}

/**
 * Throws 403 for a request of another origin's page, even one of the same site, which has
 * the cookie sent with it.
 */
export function requireOwnPage(ctx: Context): void {
  if (requestState(ctx).isForeign) {
    throw forbidden('This is for pages of the platform, and not for links or pages of others');
  }
}
