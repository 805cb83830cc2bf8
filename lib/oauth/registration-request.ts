/** What the platform asks for when it registers itself (RFC 7591 2, OpenID Connect Dynamic Client Registration 1.0). Pure. */
import type { AuthorizationServer, TokenAuthMethod } from './authorization-server.ts';

export interface RegistrationOptions {
  /** Where codes are sent: of this registration alone, so that an answer cannot be taken for another server's. */
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

/** The body of the request. It names no scopes: servers refuse a client later what it did not name here, such as what a call needs beyond the first. */
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

/** An installation on the machine of its users is `native` for OpenID Connect, which admits no web application on a loopback address. */
export function applicationType(redirectUri: string): 'web' | 'native' {
  const { hostname } = new URL(redirectUri);
  return /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname) ? 'native' : 'web';
}
