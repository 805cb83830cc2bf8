/**
 * What a remote server asks for in `WWW-Authenticate` (RFC 6750 3, RFC 9728 5.1), and which scopes are asked
 * for then (MCP 2026-07-28, "Scope Selection Strategy" and "Step-Up Authorization Flow"): before a sign-in,
 * and when it refuses a token. Pure.
 */
import { parseChallenges } from '../outbound/challenge.ts';
import { parseUrl } from '../outbound/parse-url.ts';
import type { HttpAnswer } from '../outbound/send.ts';
import { OAuthDiscoveryError, quote } from './errors.ts';

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

/**
 * Reads a header; of several bearer challenges the first that names metadata, or else the first. Throws
 * OAuthDiscoveryError `challenge_invalid`.
 */
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

const maxScopes = 100;
const scopeToken = /^[\x21\x23-\x5b\x5d-\x7e]{1,200}$/;

/** Whether it is one scope of RFC 6749 3.3. */
export const isScope = (text: string): boolean => scopeToken.test(text);

/**
 * Its scopes as the server meant them, each once. GitHub and others write commas and no space; they are asked
 * for, and compared, one by one.
 */
export function splitScopes(text: string): string[] {
  const separator = text.trim().includes(' ') ? ' ' : /[ ,]/;
  return [...new Set(text.split(separator).filter((each) => each !== ''))];
}

/** The scopes of a challenge or an answer, each once. Throws OAuthDiscoveryError `challenge_invalid`. */
export function parseScopes(text: string): string[] {
  const scopes = splitScopes(text);
  const wrong = scopes.find((each) => !isScope(each));
  if (wrong !== undefined) {
    throw new OAuthDiscoveryError(
      'challenge_invalid',
      `The server asks for the scope ${quote(wrong)}, which no scope can be called.`,
    );
  }
  if (scopes.length > maxScopes) {
    throw new OAuthDiscoveryError(
      'challenge_invalid',
      `The server asks for more than ${maxScopes} scopes at once.`,
    );
  }
  return scopes;
}

export interface ScopeSources {
  /** Of the `WWW-Authenticate` challenge; null when it names none. */
  challenge: readonly string[] | null;
  /** Of the protected resource metadata; null when it names none. */
  resource: readonly string[] | null;
  /** Of the authorization server; null when it names none. */
  server: readonly string[] | null;
}

/**
 * The challenge's, or else all of the resource's; empty to ask without a scope. `offline_access` is added
 * where the authorization server names it: without it, servers of OpenID Connect give no refresh token.
 */
export function selectScopes({ challenge, resource, server }: ScopeSources, mayRefresh: boolean): string[] {
  const scopes = challenge ?? resource ?? [];
  const isOffered = mayRefresh && scopes.length > 0 && (server ?? []).includes('offline_access');
  return [...new Set([...scopes, ...(isOffered ? ['offline_access'] : [])])];
}

export interface HeldScopes {
  /** What was asked for when the person signed in. */
  requested: readonly string[];
  /** What the server said it granted; null when it did not say, which means all that was requested. */
  granted: readonly string[] | null;
}

/**
 * What to ask for next: all that was requested or granted before, so that nothing is lost, and what
 * is missing now. Null when that would change nothing, since the token has all of it already, when a
 * scope is none, or when they would be more than 100. It does not count the tries: a person can
 * refuse a scope each time.
 */
export function widenScopes(missing: readonly string[], { requested, granted }: HeldScopes): string[] | null {
  const held = granted ?? requested;
  const wanted = [...new Set([...requested, ...held, ...missing])];
  const changes = missing.some((scope) => !held.includes(scope));
  return changes && missing.every(isScope) && wanted.length <= maxScopes ? wanted : null;
}

/** An answer to a request that the server refuses. */
type Headed = Pick<HttpAnswer, 'headers'>;

const maxWordsLength = 500;

/** Null when the header cannot be read, as with a scope that no scope can be called. */
function challengeOf({ headers }: Headed): SignInChallenge | null {
  try {
    return readSignInChallenge(headers['www-authenticate']);
  } catch {
    return null;
  }
}

/**
 * The scopes that an answer `insufficient_scope` asks for, empty when it names none that can be read;
 * null for any other answer. Each is one of RFC 6749, and they are at most 100.
 */
export function missingScopes(answer: Headed & Pick<HttpAnswer, 'status'>): string[] | null {
  if (answer.status !== 403) {
    return null;
  }
  const challenge = challengeOf(answer);
  if (challenge === null) {
    return [];
  }
  return challenge.error === 'insufficient_scope' ? [...(challenge.scopes ?? [])] : null;
}

/**
 * Why a server refuses a token: the error and its description, as they came; null when the answer
 * has none that can be read.
 */
export function refusalWords(answer: Headed): string | null {
  const challenge = challengeOf(answer);
  const words = [challenge?.error, challenge?.description].filter((each) => (each ?? '') !== '').join(': ');
  return words === '' ? null : words.slice(0, maxWordsLength);
}

/** Whether a refused request can be made by somebody who signs in. */
export const asksForSignIn = (answer: Headed): boolean => challengeOf(answer)?.asksFor === 'bearer';
