/** What a remote server asks for in `WWW-Authenticate` (RFC 6750 3, RFC 9728 5.1). Pure. */
import { parseChallenges } from '../outbound/challenge.ts';
import { parseUrl } from '../outbound/parse-url.ts';
import { parseScopes } from './scopes.ts';

export interface SignInChallenge {
  /** `unknown` when the header is missing, cannot be read, or names only schemes that are not known here. */
  asksFor: 'bearer' | 'basic' | 'unknown';
  /** Such as `insufficient_scope`; null when it names none. */
  error: string | null;
  /** Text for people that nobody vouches for, as it came. */
  description: string | undefined;
  /** The address of the protected resource metadata, not checked; null when it names none. */
  resourceMetadata: URL | null;
  /** Null when it names none. */
  scopes: readonly string[] | null;
}

/** Reads a header; of several bearer challenges the first that names metadata, or else the first. Throws OAuthDiscoveryError `challenge_invalid`. */
export function readSignInChallenge(header: string | undefined): SignInChallenge {
  const challenges = parseChallenges(header);
  const bearers = challenges.flatMap(({ scheme, parameters }) => (scheme === 'bearer' ? [parameters] : []));
  const chosen = bearers.find((each) => each.has('resource_metadata')) ?? bearers[0];
  const [error, description, metadata, scope] = [
    'error',
    'error_description',
    'resource_metadata',
    'scope',
  ].map((name) => chosen?.get(name));
  return {
    asksFor: bearers.length > 0 ? 'bearer' : challenges.length > 0 ? 'basic' : 'unknown',
    error: error !== undefined && /^[a-z0-9_]{1,100}$/.test(error) ? error : null,
    description,
    // What cannot be asked is no hint: the well-known addresses are asked then.
    resourceMetadata: metadata === undefined ? null : parseUrl(metadata),
    scopes: scope === undefined || scope.trim() === '' ? null : parseScopes(scope),
  };
}
