/**
 * Sends a code or a token to an endpoint of its authorization server, and nowhere else, with what shows which
 * client the platform is (RFC 6749 2.3).
 */
import { exchange, mediaType, readResponseBody } from '../outbound/send.ts';
import { formEncoded, quote, repeatsSecret } from './errors.ts';
import type { AuthorizationServer, TokenAuthMethod } from './metadata.ts';
import type { RegisteredClient } from './register-client.ts';
import { limitsOf, type OAuthContext, parseServerUrl } from './requests.ts';
import { asTokenError, OAuthTokenError } from './token-errors.ts';

export interface CredentialRequest {
  server: Pick<AuthorizationServer, 'issuer'>;
  client: OAuthClient;
  /** The client's own by default. */
  method?: TokenAuthMethod;
  /** The field of the server's metadata, and what it holds. */
  endpoint: { name: string; url: string };
  /** Without what shows who the client is. */
  form: Readonly<Record<string, string>>;
}

export interface CredentialAnswer {
  status: number;
  /** In lower case, without parameters. */
  contentType: string;
  /** Empty when the type is not JSON. */
  body: Buffer;
  /** What was sent that no message repeats. */
  secrets: readonly string[];
}

/** No part of the form that is public. */
const publicFields = new Set([
  'grant_type',
  'redirect_uri',
  'resource',
  'scope',
  'client_id',
  'token_type_hint',
]);

/**
 * Sends the form once, follows no redirect, and returns what `read` makes of the answer.
 * Throws OAuthTokenError, whose outcome says whether the server may have received it, or the
 * reason of `context.signal`.
 */
export async function sendCredential<Result>(
  context: OAuthContext,
  { server, client, method, endpoint, form: fields }: CredentialRequest,
  read: (answer: CredentialAnswer) => Result,
): Promise<Result> {
  const { requestTimeoutMs: timeoutMs, documentBytes } = limitsOf(context);
  const authentication = authenticateClient(server, client, method);
  const form = { ...fields, ...authentication.form };
  const hidden = Object.entries(form).flatMap(([name, value]) => (publicFields.has(name) ? [] : [value]));
  const secrets = [...hidden, ...authentication.secrets];
  let isConnected = false;
  try {
    const what = `The field "${endpoint.name}" of ${quote(server.issuer)} with`;
    const url = parseServerUrl(context.policy, endpoint.url, what, 'endpoint_refused');
    const request = {
      method: 'POST' as const,
      url,
      headers: { accept: 'application/json', ...authentication.headers },
      body: { form },
      timeoutMs,
      onConnected: () => {
        isConnected = true;
      },
    };
    const answer = await exchange(context, request, async ({ status, headers, body }) => {
      const contentType = mediaType(headers['content-type']);
      const isJson = contentType === 'application/json';
      const bytes = isJson ? await readResponseBody(body, documentBytes, `the answer of ${url.host}`) : null;
      return { status, contentType, body: bytes ?? Buffer.alloc(0), secrets };
    });
    return read(answer);
  } catch (error) {
    const failure = asTokenError(error, isConnected ? 'unknown' : 'not_sent');
    throw failure instanceof OAuthTokenError ? withoutSecrets(failure, server, secrets) : failure;
  }
}

/**
 * A server can repeat a credential in what other messages quote, such as the host of a redirect
 * or the type of its answer.
 */
function withoutSecrets(
  failure: OAuthTokenError,
  { issuer }: CredentialRequest['server'],
  secrets: readonly string[],
): OAuthTokenError {
  const { code, outcome, isTemporary } = failure;
  const message = `The authorization server ${quote(issuer)} repeats a credential in an answer that is not used.`;
  return repeatsSecret(failure.message, secrets)
    ? new OAuthTokenError(code, message, outcome, isTemporary)
    : failure;
}

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
 * Throws OAuthTokenError `invalid_client`, before anything is sent, for the client of another issuer, and for
 * one that lacks the secret of its method.
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
    // It is no second way of authenticating (RFC 6749 2.3). Servers of the Python SDK find the client by it,
    // whatever the header says.
    form: { client_id: clientId },
    secrets: [clientSecret, credentials],
  };
}

/**
 * Each part is encoded as in a form (RFC 6749 2.3.1), which leaves `-`, `.`, `_` and `*` as they are: servers
 * that forget to decode take the usual ids and secrets all the same.
 */
export const basicCredentials = (id: string, secret: string): string =>
  Buffer.from(`${formEncoded(id)}:${formEncoded(secret)}`).toString('base64');

const unusable = (message: string) => new OAuthTokenError('invalid_client', message, 'not_sent');
