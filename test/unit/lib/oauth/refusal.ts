import { OAuthResponseError } from '../../../../lib/oauth/authorization.ts';
import { OAuthDiscoveryError } from '../../../../lib/oauth/errors.ts';
import { OAuthTokenError } from '../../../../lib/oauth/token-errors.ts';

/**
 * What `work` throws as an error of this class; null when it throws nothing. Anything else
 * that it throws is thrown on.
 */
const thrownBy =
  <Thrown extends Error>(known: new (...given: never[]) => Thrown) =>
  (work: () => unknown): Thrown | null => {
    try {
      work();
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
export const responseErrorOf = thrownBy(OAuthResponseError);

/** A policy under which hosts are public, but for one that speaks plain HTTP at a private address. */
export const policy = {
  privateHosts: new Map([['127.0.0.1:8080', 'http' as const]]),
  setting: 'SETTING of the API',
};
