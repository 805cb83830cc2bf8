/** Revokes tokens at their server (RFC 7009). */
import type { AuthorizationServer, TokenAuthMethod } from './authorization-server.ts';
import type { OAuthClient } from './client-authentication.ts';
import type { OAuthContext } from './context.ts';
import { type CredentialAnswer, sendCredential } from './send-credential.ts';
import { OAuthTokenError } from './token-error.ts';
import { readError, tokenRefusal } from './token-refusal.ts';

type RevokingServer = Pick<AuthorizationServer, 'issuer' | 'revocationEndpoint' | 'revocationAuthMethods'>;

export interface Revocation {
  token: string;
  hint: 'access_token' | 'refresh_token';
}

/**
 * True when the token is of no use any more, also when it was before, so it may be repeated; false when the server revokes none of
 * its kind. Throws
 * OAuthTokenError, or the reason of `context.signal`.
 */
export async function revokeToken(
  context: OAuthContext,
  server: RevokingServer,
  client: OAuthClient,
  { token, hint }: Revocation,
): Promise<boolean> {
  if (server.revocationEndpoint === null) {
    return false;
  }
  const endpoint = { name: 'revocation_endpoint', url: server.revocationEndpoint };
  const form = { token, token_type_hint: hint };
  const method = chooseMethod(server, client);
  const ask = (more: Record<string, string>) =>
    sendCredential(context, { server, client, method, endpoint, form: { ...form, ...more } }, (answer) =>
      isRevoked(server, answer),
    );
  try {
    return await ask({});
  } catch (error) {
    const { clientSecret: secret } = client;
    if (method === 'client_secret_basic' && secret !== null && wantsSecretInForm(server, error)) {
      return ask({ client_secret: secret });
    }
    throw error;
  }
}

/** The Python SDK's server lists both methods, takes the client's own alone, and no revocation whose form is without the secret. */
const wantsSecretInForm = ({ revocationAuthMethods }: RevokingServer, error: unknown): boolean =>
  error instanceof OAuthTokenError &&
  error.code === 'request_refused' &&
  revocationAuthMethods.includes('client_secret_post');

/** Throws OAuthTokenError. */
function isRevoked(server: RevokingServer, answer: CredentialAnswer): boolean {
  const said = readError(answer);
  if (answer.status >= 200 && answer.status < 300 && said === null) {
    return true;
  }
  // Keycloak says so, with status 200, of an access token that it revoked with its refresh token. RFC 7009 2.2 has a 200 without an error.
  if (said?.error === 'invalid_token') {
    return true;
  }
  // It revokes tokens, but none of this kind (RFC 7009 2.2.1).
  if (said?.error === 'unsupported_token_type') {
    return false;
  }
  throw tokenRefusal(server, answer, 'to revoke a token');
}

/** The client's own method where the server takes it here, or else another with its secret. Never one without, where it has one. */
function chooseMethod(
  { revocationAuthMethods: taken }: RevokingServer,
  { tokenAuthMethod: own }: OAuthClient,
): TokenAuthMethod {
  const withSecret = taken.find((method) => method !== 'none');
  return own === 'none' || taken.includes(own) ? own : (withSecret ?? own);
}
