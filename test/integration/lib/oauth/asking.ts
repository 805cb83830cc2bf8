/** Asks servers of a test, which are on loopback and must be listed. */

import { OAuthDiscoveryError } from '../../../../lib/oauth/errors.ts';
import { defaultOAuthLimits, type OAuthContext } from '../../../../lib/oauth/requests.ts';
import { OAuthTokenError } from '../../../../lib/oauth/token-errors.ts';
import { resolveByLookup } from '../../../../lib/outbound/resolve-names.ts';

/** A context that may ask these hosts, over plain HTTP unless `scheme` says otherwise. */
export const contextFor = (
  hosts: readonly string[],
  changed: Partial<OAuthContext> = {},
  scheme: 'http' | 'https' = 'http',
): OAuthContext => ({
  policy: {
    privateHosts: new Map(hosts.map((host) => [host, scheme])),
    setting: 'SETTING of the API',
  },
  signal: new AbortController().signal,
  resolveName: resolveByLookup,
  workspaceId: null,
  limits: defaultOAuthLimits,
  ...changed,
});

/** Small enough for attacks on them to end soon. */
export const smallLimits = {
  ...defaultOAuthLimits,
  documentBytes: 20_000,
  documentValues: 1000,
};

/**
 * What work throws as an error of this class; null when it throws nothing. Anything else
 * that it throws is thrown on.
 */
const thrownBy =
  <Thrown extends Error>(known: new (...given: never[]) => Thrown) =>
  async (work: Promise<unknown>): Promise<Thrown | null> => {
    try {
      await work;
      return null;
    } catch (error) {
      if (error instanceof known) {
        return error;
      }
      throw error;
    }
  };

export const refusalOf = thrownBy(OAuthDiscoveryError);
export const tokenErrorOf = thrownBy(OAuthTokenError);

/** For each request of an attack that ends by it. */
export const slowLimitMs = 2000;
