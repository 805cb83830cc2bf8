/**
 * How the platform becomes a client of an authorization server, and what it says of itself there: in a
 * document that the server fetches (draft-ietf-oauth-client-id-metadata-document), or when it registers
 * (RFC 7591 2, OpenID Connect Dynamic Client Registration 1.0). Pure.
 */

import { parseUrl } from '../outbound/parse-url.ts';
import { classifyAddress, literalAddress } from '../outbound/special-ranges.ts';
import { OAuthDiscoveryError, quote } from './errors.ts';
import type { AuthorizationServer, TokenAuthMethod } from './metadata.ts';

export interface ClientOptions {
  /** What an admin entered; null for nothing. */
  preRegistered: { clientId: string; hasSecret: boolean } | null;
  /** Where the platform serves the Client ID Metadata Document of this entry; null when it serves none. */
  metadataUrl: string | null;
}

export type ClientChoice =
  | { kind: 'pre_registered'; clientId: string; tokenAuthMethod: TokenAuthMethod }
  | { kind: 'metadata_document'; clientId: string; tokenAuthMethod: 'none' }
  | { kind: 'registered'; registrationEndpoint: string; tokenAuthMethod: TokenAuthMethod };

/**
 * Chooses in the order of the MCP specification: what an admin entered, a Client ID Metadata Document,
 * dynamic registration. Throws OAuthDiscoveryError `client_missing` when none is possible.
 */
export function chooseClient(server: AuthorizationServer, options: ClientOptions): ClientChoice {
  const { preRegistered, metadataUrl } = options;
  if (preRegistered !== null) {
    const tokenAuthMethod = chooseTokenAuthMethod(server, preRegistered.hasSecret ? 'secret' : 'none');
    return { kind: 'pre_registered', clientId: preRegistered.clientId, tokenAuthMethod };
  }
  // Such a client has no secret (draft-ietf-oauth-client-id-metadata-document, 4.1), so the server must
  // admit clients without one.
  const isAdmitted = server.takesClientMetadataUrls && server.tokenAuthMethods.includes('none');
  if (metadataUrl !== null && isAdmitted && isPublicDocument(metadataUrl)) {
    return { kind: 'metadata_document', clientId: metadataUrl, tokenAuthMethod: 'none' };
  }
  if (server.registrationEndpoint !== null) {
    const tokenAuthMethod = chooseTokenAuthMethod(server, 'any');
    return { kind: 'registered', registrationEndpoint: server.registrationEndpoint, tokenAuthMethod };
  }
  throw new OAuthDiscoveryError(
    'client_missing',
    `The authorization server ${quote(server.issuer)} registers no clients by itself; register the platform there and enter the client's id in the entry.`,
  );
}

/**
 * The authorization server fetches the document itself: from an https address with a path, of a host
 * that is on the internet.
 */
export function isPublicDocument(url: string): boolean {
  const parsed = /^https:\/\/[\x21-\x7e]+$/.test(url) ? parseUrl(url) : null;
  if (parsed === null) {
    return false;
  }
  const { href, hostname, pathname, username, password, hash } = parsed;
  const literal = literalAddress(hostname);
  const isPublic =
    literal === null
      ? hostname.includes('.') && !/\.(localhost|local|internal|home\.arpa)\.?$/.test(hostname)
      : classifyAddress(literal) === 'public';
  return isPublic && href === url && pathname !== '/' && username === '' && password === '' && hash === '';
}

const preferred: Readonly<Record<'secret' | 'none' | 'any', readonly TokenAuthMethod[]>> = {
  secret: ['client_secret_basic', 'client_secret_post'],
  none: ['none'],
  any: ['client_secret_basic', 'client_secret_post', 'none'],
};

/**
 * The safest method that both sides speak. With a secret, a stolen code or refresh token is of no use to
 * its thief; in a header, it stays out of logs of bodies. Throws OAuthDiscoveryError
 * `feature_unsupported` when there is none.
 */
export function chooseTokenAuthMethod(
  { issuer, tokenAuthMethods }: AuthorizationServer,
  having: 'secret' | 'none' | 'any',
): TokenAuthMethod {
  const chosen = preferred[having].find((method) => tokenAuthMethods.includes(method));
  if (chosen === undefined) {
    const way = having === 'none' ? "; enter the client's secret, too" : '';
    throw new OAuthDiscoveryError(
      'feature_unsupported',
      `The authorization server ${quote(issuer)} offers none of ${preferred[having].join(', ')} in "token_endpoint_auth_methods_supported"${way}.`,
    );
  }
  return chosen;
}

export interface ClientMetadataOptions {
  /**
   * Where the document is served, which is the client's id: `isPublicDocument` says
   * which addresses can be one.
   */
  url: string;
  /** Of this document alone, so that an answer cannot be taken for another server's. */
  redirectUri: string;
  /** What people read on the page where they consent. */
  clientName: string;
}

export interface ClientMetadataDocument {
  client_id: string;
  client_name: string;
  redirect_uris: readonly [string];
  grant_types: readonly GrantType[];
  response_types: readonly ['code'];
  token_endpoint_auth_method: 'none';
  application_type: 'web' | 'native';
}

/**
 * What is served at `url`, as JSON. It is public, and holds no secret: a secret that all servers shared would
 * be known to each of them (4.1 of the draft). Servers compare `client_id` with the address as texts.
 */
export const buildClientMetadataDocument = ({
  url,
  redirectUri,
  clientName,
}: ClientMetadataOptions): ClientMetadataDocument => ({
  client_id: url,
  client_name: clientName,
  redirect_uris: [redirectUri],
  grant_types: ['authorization_code', 'refresh_token'],
  response_types: ['code'],
  token_endpoint_auth_method: 'none',
  application_type: applicationType(redirectUri),
});

export interface RegistrationOptions {
  /**
   * Where codes are sent: of this registration alone, so that an answer cannot be taken for another server's.
   */
  redirectUri: string;
  /** What people read on the page where they consent. */
  clientName: string;
  tokenAuthMethod: TokenAuthMethod;
}

export interface RegistrationRequest {
  application_type: 'web' | 'native';
  redirect_uris: readonly [string];
  grant_types: readonly GrantType[];
  response_types: readonly ['code'];
  client_name: string;
  token_endpoint_auth_method: TokenAuthMethod;
}

export type GrantType = 'authorization_code' | 'refresh_token';

/**
 * The body of the request. It names no scopes: servers refuse a client later what it did not name here, such
 * as what a call needs beyond the first.
 */
export function buildRegistrationRequest(
  { refreshesTokens }: Pick<AuthorizationServer, 'refreshesTokens'>,
  { redirectUri, clientName, tokenAuthMethod }: RegistrationOptions,
): RegistrationRequest {
  return {
    application_type: applicationType(redirectUri),
    redirect_uris: [redirectUri],
    grant_types: refreshesTokens ? ['authorization_code', 'refresh_token'] : ['authorization_code'],
    response_types: ['code'],
    client_name: clientName,
    token_endpoint_auth_method: tokenAuthMethod,
  };
}

/**
 * An installation on the machine of its users is `native` for OpenID Connect, which admits no web
 * application on a loopback address.
 */
export function applicationType(redirectUri: string): 'web' | 'native' {
  const { hostname } = new URL(redirectUri);
  return /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname) ? 'native' : 'web';
}
