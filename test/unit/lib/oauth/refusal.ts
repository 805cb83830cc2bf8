import { OAuthDiscoveryError } from '../../../../lib/oauth/errors.ts';

/** What `work` is refused with; null when it is not. Anything else that it throws is thrown on. */
export function refusalOf(work: () => unknown): OAuthDiscoveryError | null {
  try {
    work();
    return null;
  } catch (error) {
    if (error instanceof OAuthDiscoveryError) {
      return error;
    }
    throw error;
  }
}

/** A policy under which hosts are public, but for one that speaks plain HTTP at a private address. */
export const policy = {
  privateHosts: new Map([['127.0.0.1:8080', 'http' as const]]),
  setting: 'SETTING of the API',
};
