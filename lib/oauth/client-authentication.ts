/** How the platform shows an authorization server which client it is (RFC 6749 2.3). Pure. */
import type { AuthorizationServer, TokenAuthMethod } from './authorization-server.ts';
import { formEncoded } from './form-encoding.ts';
import { quote } from './quote.ts';
import type { RegisteredClient } from './registration-answer.ts';
import { OAuthTokenError } from './token-error.ts';

/** Holds a secret, if any: it is never logged. */
export type OAuthClient = Pick<RegisteredClient, 'issuer' | 'clientId' | 'tokenAuthMethod' | 'clientSecret'>;

export interface ClientAuthentication {
  headers: Readonly<Record<string, string>>;
  /** Fields of the request's form. */
  form: Readonly<Record<string, string>>;
  /** Texts in either that no message repeats. */
  secrets: readonly string[];
}

/**
 * Throws OAuthTokenError `invalid_client`, before anything is sent, for the client of another issuer, and for one that lacks the secret of
 * its method.
 */
export function authenticateClient(
  { issuer }: Pick<AuthorizationServer, 'issuer'>,
  client: OAuthClient,
  method: TokenAuthMethod = client.tokenAuthMethod,
): ClientAuthentication {
  const { clientId, clientSecret } = client;
  if (client.issuer !== issuer) {
    throw unusable(
      `The client is one of ${quote(client.issuer)} and is not used at ${quote(issuer)}; it has to be registered there.`,
    );
  }
  if (method === 'none') {
    return { headers: {}, form: { client_id: clientId }, secrets: [] };
  }
  if (clientSecret === null) {
    throw unusable(
      `The client at ${quote(issuer)} has no secret (${method}); it has to be registered again.`,
    );
  }
  if (method === 'client_secret_post') {
    const form = { client_id: clientId, client_secret: clientSecret };
    return { headers: {}, form, secrets: [clientSecret] };
  }
  const credentials = basicCredentials(clientId, clientSecret);
  return {
    headers: { authorization: `Basic ${credentials}` },
    // It is no second way of authenticating (RFC 6749 2.3). Servers of the Python SDK find the client by it, whatever the header says.
    form: { client_id: clientId },
    secrets: [clientSecret, credentials],
  };
}

/**
 * Each part is encoded as in a form (RFC 6749 2.3.1), which leaves `-`, `.`, `_` and `*` as they are: servers that forget to decode take
 * the usual ids and secrets all the same.
 */
export const basicCredentials = (id: string, secret: string): string =>
  Buffer.from(`${formEncoded(id)}:${formEncoded(secret)}`).toString('base64');

const unusable = (message: string) => new OAuthTokenError('invalid_client', message, 'not_sent');
