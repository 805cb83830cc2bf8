/** Refuses requests for a host name that is not ours, so that DNS rebinding reaches nothing. */
import type { Context, Next } from 'koa';
import type { ApiConfig } from '../../config/api.ts';
import { isLoopback } from '../../config/parse.ts';
import { originIn } from '../../config/public-url.ts';
import { forbidden } from '../errors.ts';

type Settings = Pick<ApiConfig, 'HOST' | 'PUBLIC_URL'>;

/** The origin of a Host header whose name is a loopback name, on a loopback listener; else null. */
export function loopbackOrigin(settings: Settings, host: string): string | null {
  const name = /^(\[::1\]|[a-z0-9.-]+)(?::\d{1,5})?$/i.exec(host)?.[1]?.toLowerCase();
  if (name === undefined || !isLoopback(settings.HOST)) {
    return null;
  }
  return isLoopback(name.replace(/^\[|\]$/g, '')) ? originIn(`http://${host}`) : null;
}

/**
 * Sidecars and health probes reach the API by whatever name their network gives it; their access does not
 * depend on a browser's cookie, so the check skips their paths.
 */
export function checkHost(settings: Settings) {
  const { PUBLIC_URL: publicOrigin } = settings;
  const scheme = publicOrigin?.startsWith('https:') ? 'https:' : 'http:';
  // Browsers leave the usual port out, and proxies and probes may not.
  const isPublic = (host: string) =>
    publicOrigin !== undefined && originIn(`${scheme}//${host}`) === publicOrigin;
  return async (ctx: Context, next: Next): Promise<void> => {
    const exempt = ctx.path.startsWith('/internal/') || ctx.path === '/api/health';
    const host = ctx.get('Host');
    if (!exempt && !isPublic(host) && loopbackOrigin(settings, host) === null) {
      throw forbidden('This host name is not served here; use the configured PUBLIC_URL');
    }
    await next();
  };
}
