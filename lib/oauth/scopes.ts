/** Which scopes are asked for (MCP 2026-07-28, "Scope Selection Strategy"). Pure. */
import { OAuthDiscoveryError } from './errors.ts';
import { quote } from './quote.ts';

const maxScopes = 100;
const scopeToken = /^[\x21\x23-\x5b\x5d-\x7e]{1,200}$/;

/** Whether it is one scope of RFC 6749 3.3. */
export const isScope = (text: string): boolean => scopeToken.test(text);

/** The scopes of a challenge or an answer, each once. Throws OAuthDiscoveryError `challenge_invalid`. */
export function parseScopes(text: string): string[] {
  const scopes = [...new Set(text.split(' ').filter((each) => each !== ''))];
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
 * The challenge's, or else all of the resource's; empty to ask without a scope. `offline_access` is added where the authorization server
 * names it: without it, servers of OpenID Connect give no refresh token.
 */
export function selectScopes({ challenge, resource, server }: ScopeSources, mayRefresh: boolean): string[] {
  const scopes = challenge ?? resource ?? [];
  const isOffered = mayRefresh && scopes.length > 0 && (server ?? []).includes('offline_access');
  return [...new Set([...scopes, ...(isOffered ? ['offline_access'] : [])])];
}
