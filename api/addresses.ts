/** Addresses of the platform that others are told: authorization servers, and readers of channels. */
import type { Context } from 'koa';
import type { RegistrationAddresses } from '../commands/mcp-registrations/registrations.ts';
import type { ApiConfig } from '../config/api.ts';
import { loopbackOrigin } from './middleware/host.ts';

/** Of `/api`, by a registration's id. */
export const callbackPath = (registrationId: string) => `/oauth/callback/${registrationId}`;
export const clientMetadataPath = (registrationId: string) => `/oauth/clients/${registrationId}`;

/**
 * On the platform's public origin; without one, on the loopback address that the browser used, which the
 * host check has allowed. Each registration has a redirect URI of its own, so that no server's answer
 * can be taken for another's.
 */
export function registrationAddresses(
  config: Pick<ApiConfig, 'HOST' | 'PUBLIC_URL'>,
  ctx: Context,
): RegistrationAddresses {
  const { PUBLIC_URL } = config;
  const origin = platformOrigin(config, ctx);
  return {
    redirectUri: (id) => `${origin}/api${callbackPath(id)}`,
    clientMetadataUrl: (id) => (PUBLIC_URL === undefined ? null : `${origin}/api${clientMetadataPath(id)}`),
  };
}

/**
 * Where people reach the web UI, for a link in a message: the public origin; without one, the loopback
 * address that the caller used, if it is one.
 */
export function linkOriginOf(config: Pick<ApiConfig, 'HOST' | 'PUBLIC_URL'>, ctx: Context): string | null {
  return config.PUBLIC_URL ?? loopbackOrigin(config, ctx.get('Host'));
}

/** Of the platform as this browser sees it. */
export function platformOrigin(config: Pick<ApiConfig, 'HOST' | 'PUBLIC_URL'>, ctx: Context): string {
  const origin = linkOriginOf(config, ctx);
  if (origin === null) {
    throw new Error('the host check let a foreign host name pass');
  }
  return origin;
}
