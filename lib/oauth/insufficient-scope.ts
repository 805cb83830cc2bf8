/** Which scopes are asked for when those of a token do not suffice (MCP 2026-07-28, "Step-Up Authorization Flow"). Pure. */
import { OAuthDiscoveryError } from './errors.ts';
import { isScope } from './scopes.ts';
import { readSignInChallenge } from './sign-in-challenge.ts';

export interface HeldScopes {
  /** What was asked for when the person signed in. */
  requested: readonly string[];
  /** What the server said it granted; null when it did not say, which means all that was requested. */
  granted: readonly string[] | null;
}

const maxScopes = 100;

/**
 * The scopes that a `WWW-Authenticate` header asks for with `insufficient_scope`; null when it asks for none, or cannot be read. Each is one
 * of RFC 6749, and they are at most 100.
 */
export function readMissingScopes(header: string | undefined): readonly string[] | null {
  try {
    const { error, scopes } = readSignInChallenge(header);
    return error === 'insufficient_scope' ? scopes : null;
  } catch (refusal) {
    if (refusal instanceof OAuthDiscoveryError) {
      return null;
    }
    throw refusal;
  }
}

/**
 * What to ask for next: all that was requested or granted before, so that nothing is lost, and what is missing now. Null when that would
 * change nothing, since the token has all of it already, when a scope is none, or when they would be more than 100. It does not count the
 * tries: a person can refuse a scope each time.
 */
export function widenScopes(missing: readonly string[], { requested, granted }: HeldScopes): string[] | null {
  const held = granted ?? requested;
  const wanted = [...new Set([...requested, ...held, ...missing])];
  const changes = missing.some((scope) => !held.includes(scope));
  return changes && missing.every(isScope) && wanted.length <= maxScopes ? wanted : null;
}
