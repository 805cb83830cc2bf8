/** Where a person's browser is led to sign in (RFC 6749 4.1.1, PKCE of RFC 7636, RFC 8707). Pure. */
import { createHash } from 'node:crypto';
import type { OutboundPolicy } from '../outbound/policy.ts';
import type { AuthorizationServer } from './authorization-server.ts';
import { quote } from './quote.ts';
import { parseServerUrl } from './server-url.ts';

export interface AuthorizationRequestOptions {
  server: Pick<AuthorizationServer, 'issuer' | 'authorizationEndpoint'>;
  clientId: string;
  /** Of this client's registration, letter by letter. */
  redirectUri: string;
  /** As the remote server spells it. */
  resource: string;
  /** Empty to ask without the parameter. */
  scopes: readonly string[];
}

export interface AuthorizationRequest {
  /** Holds the state. */
  url: string;
  /** To be shown before anybody is led there: an endpoint may be on another host than the issuer. */
  host: string;
  /** Single-use: to be stored as a hash, with the issuer, the browser session and the verifier. */
  state: string;
  /** Secret: whoever has it and the code can redeem the code. */
  codeVerifier: string;
}

/** 256 bits, which is 43 characters: the least that RFC 7636 4.1 admits for a verifier. */
const secretBytes = 32;

/**
 * Makes a request with a state and a verifier of its own; `random` returns so many random bytes. Throws OAuthDiscoveryError
 * `endpoint_refused` when the endpoint, which was checked when it was discovered, is no longer one that people may be led to.
 */
export function buildAuthorizationRequest(
  policy: OutboundPolicy,
  { server, clientId, redirectUri, resource, scopes }: AuthorizationRequestOptions,
  random: (size: number) => Buffer,
): AuthorizationRequest {
  const what = `The field "authorization_endpoint" of ${quote(server.issuer)} with`;
  const url = parseServerUrl(policy, server.authorizationEndpoint, what, 'endpoint_refused');
  const state = random(secretBytes).toString('base64url');
  const codeVerifier = random(secretBytes).toString('base64url');
  const parameters = {
    response_type: 'code',
    client_id: clientId,
    redirect_uri: redirectUri,
    state,
    code_challenge: createHash('sha256').update(codeVerifier).digest('base64url'),
    code_challenge_method: 'S256',
    resource,
    ...(scopes.length === 0 ? {} : { scope: scopes.join(' ') }),
    // Without it, OpenID providers ignore that scope (OpenID Connect Core 11) and give no refresh token.
    ...(scopes.includes('offline_access') ? { prompt: 'consent' } : {}),
  };
  // The endpoint's own query is kept (RFC 6749 3.1), but none of these parameters has a second value.
  for (const [name, value] of Object.entries(parameters)) {
    url.searchParams.set(name, value);
  }
  return { url: url.href, host: url.host, state, codeVerifier };
}
