/**
 * Redeems codes and refreshes tokens (RFC 6749 4.1.3, 5.1 and 6, with PKCE and the resource of RFC 8707), and
 * revokes tokens (RFC 7009).
 */

import * as z from 'zod';
import { unexpectedType } from '../outbound/send.ts';
import { isScope, splitScopes } from './challenge.ts';
import { quote } from './errors.ts';
import type { AuthorizationServer, TokenAuthMethod } from './metadata.ts';
import { limitsOf, type OAuthContext, readFields, readJson } from './requests.ts';
import { type CredentialAnswer, type OAuthClient, sendCredential } from './send-credential.ts';
import { errorOf, OAuthTokenError, readError, tokenRefusal } from './token-errors.ts';

type TokenServer = Pick<AuthorizationServer, 'issuer' | 'tokenEndpoint'>;

export interface CodeRedemption {
  code: string;
  codeVerifier: string;
  /** Of the authorization request, letter by letter. */
  redirectUri: string;
  resource: string;
}

export interface TokenRefresh {
  refreshToken: string;
  resource: string;
  /** At most those that were granted; empty for the same ones. */
  scopes: readonly string[];
}

/**
 * Sends a code once: it is used up afterwards, whatever the outcome, unless that is `not_sent`. `now` is the
 * time of the call: lifetimes are counted from it, so that a slow answer makes no token look younger. Throws
 * OAuthTokenError, or the reason of `context.signal`.
 */
export async function redeemCode(
  context: OAuthContext,
  server: TokenServer,
  client: OAuthClient,
  { code, codeVerifier, redirectUri, resource }: CodeRedemption,
  now: Date,
): Promise<Tokens> {
  const form = {
    grant_type: 'authorization_code',
    code,
    code_verifier: codeVerifier,
    redirect_uri: redirectUri,
    resource,
  };
  return requestTokens(context, server, client, form, now);
}

/**
 * Sends a refresh token. Only one request at a time may do so: a server that gives a new one may take a
 * second use of the old for theft, and revoke all. The result always has a refresh token, which replaces the
 * one that was sent: the same when the server gave none (RFC 6749 6). Throws OAuthTokenError, whose outcome
 * says whether the one that was sent can still be used, or the reason of `context.signal`.
 */
export async function refreshTokens(
  context: OAuthContext,
  server: TokenServer,
  client: OAuthClient,
  { refreshToken, resource, scopes }: TokenRefresh,
  now: Date,
): Promise<Tokens & { refreshToken: string }> {
  const form = {
    grant_type: 'refresh_token',
    refresh_token: refreshToken,
    resource,
    ...(scopes.length === 0 ? {} : { scope: scopes.join(' ') }),
  };
  const tokens = await requestTokens(context, server, client, form, now);
  return { ...tokens, refreshToken: tokens.refreshToken ?? refreshToken };
}

async function requestTokens(
  context: OAuthContext,
  server: TokenServer,
  client: OAuthClient,
  form: Readonly<Record<string, string>>,
  now: Date,
): Promise<Tokens> {
  const endpoint = { name: 'token_endpoint', url: server.tokenEndpoint };
  return sendCredential(context, { server, client, endpoint, form }, (answer) =>
    readTokens(context, server, answer, now),
  );
}

/** Throws what `asTokenError` makes an OAuthTokenError of. */
function readTokens(context: OAuthContext, server: TokenServer, answer: CredentialAnswer, now: Date): Tokens {
  const { status, contentType, body } = answer;
  const who = `the authorization server ${quote(server.issuer)}`;
  // Frameworks answer 201 to a POST unless they are told otherwise.
  if (status !== 200 && status !== 201) {
    throw tokenRefusal(server, answer, 'to give tokens');
  }
  if (contentType !== 'application/json') {
    throw unexpectedType(new URL(server.tokenEndpoint), contentType, ['application/json']);
  }
  const value = readJson(body, limitsOf(context).documentValues, `the answer of ${who}`, 'answer_refused');
  if (errorOf(value) === null) {
    return parseTokens(server, value, now);
  }
  if (typeof value === 'object' && value !== null && 'access_token' in value) {
    throw new OAuthTokenError(
      'answer_refused',
      `The answer of ${who} has both tokens and an error.`,
      'unknown',
    );
  }
  throw tokenRefusal(server, answer, 'to give tokens');
}

/** Holds secrets: it is sealed before it is stored, and never logged. */
export interface Tokens {
  accessToken: string;
  /** Null when none was given. */
  refreshToken: string | null;
  /** Null when the server did not say. */
  expiresAt: Date | null;
  /** Which were granted, also when they are others than were asked for; null when the server did not say. */
  scopes: readonly string[] | null;
  tokenType: 'Bearer';
}

const maxTokenLength = 64 * 1024;
const maxScopes = 100;
const maxLifetimeSeconds = 365 * 24 * 3600;
const token = z.string('must be a text').max(maxTokenLength, `is longer than ${maxTokenLength} characters`);
const schema = z.object({
  /**
   * It goes into a header, where a space or a line break would begin something else. RFC 6750 2.1 admits
   * fewer signs; servers do not.
   */
  access_token: token.regex(/^[\x21-\x7e]+$/, 'must have only characters of a token'),
  token_type: z
    .string('must be "Bearer"')
    .regex(/^bearer$/i, 'must be "Bearer", the only type that the platform uses'),
  expires_in: z.preprocess(
    // Some servers send a text, of however many digits, or with a fraction.
    (value) => (typeof value === 'string' && /^\d{1,100}(\.\d{1,20})?$/.test(value) ? Number(value) : value),
    z.number('must be a number of seconds').nonnegative('must not be negative').nullish(),
  ),
  /** RFC 6749 A.17. Empty where a server's language writes what is not there so. */
  refresh_token: token.regex(/^[\x20-\x7e]*$/, 'must have only characters of a token').nullish(),
  scope: z
    .string('must be a text')
    .transform(splitScopes)
    .refine((scopes) => scopes.every(isScope), 'must have only characters of scopes')
    .refine(({ length }) => length <= maxScopes, `must name at most ${maxScopes} scopes`)
    .nullish(),
});
/** No message repeats what any of them holds: a server may have put a token anywhere. */
const secretFields = new Set(Object.keys(schema.shape));

/**
 * Reads the answer that was received at `now`. A lifetime is cut to a year. Anything that is not read here,
 * such as an `id_token`, is ignored. Throws OAuthDiscoveryError `answer_refused`.
 */
export function parseTokens(
  { issuer }: Pick<AuthorizationServer, 'issuer'>,
  value: unknown,
  now: Date,
): Tokens {
  const what = `the answer of ${quote(issuer)} with tokens`;
  const answer = readFields(schema, value, what, 'answer_refused', secretFields);
  const { expires_in: lifetimeSeconds, scope } = answer;
  return {
    accessToken: answer.access_token,
    refreshToken: answer.refresh_token || null,
    // Servers whose tokens do not expire send 0; one that had expired already would be of no use.
    expiresAt:
      typeof lifetimeSeconds === 'number' && lifetimeSeconds > 0
        ? new Date(now.getTime() + Math.min(lifetimeSeconds, maxLifetimeSeconds) * 1000)
        : null,
    scopes: scope === undefined || scope === null || scope.length === 0 ? null : scope,
    tokenType: 'Bearer',
  };
}

type RevokingServer = Pick<AuthorizationServer, 'issuer' | 'revocationEndpoint' | 'revocationAuthMethods'>;

export interface Revocation {
  token: string;
  hint: 'access_token' | 'refresh_token';
}

/**
 * True when the token is of no use any more, also when it was before, so it may be repeated; false when the
 * server revokes none of its kind. Throws OAuthTokenError, or the reason of `context.signal`.
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

/**
 * The Python SDK's server lists both methods, takes the client's own alone, and no revocation whose
 * form is without the secret.
 */
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
  // Keycloak says so, with status 200, of an access token that it revoked with its refresh token. RFC 7009
  // 2.2 has a 200 without an error.
  if (said?.error === 'invalid_token') {
    return true;
  }
  // It revokes tokens, but none of this kind (RFC 7009 2.2.1).
  if (said?.error === 'unsupported_token_type') {
    return false;
  }
  throw tokenRefusal(server, answer, 'to revoke a token');
}

/**
 * The client's own method where the server takes it here, or else another with its secret. Never one
 * without, where it has one.
 */
function chooseMethod(
  { revocationAuthMethods: taken }: RevokingServer,
  { tokenAuthMethod: own }: OAuthClient,
): TokenAuthMethod {
  const withSecret = taken.find((method) => method !== 'none');
  return own === 'none' || taken.includes(own) ? own : (withSecret ?? own);
}
