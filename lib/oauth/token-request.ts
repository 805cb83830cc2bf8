/** Redeems codes and refreshes tokens (RFC 6749 4.1.3 and 6, with PKCE and the resource of RFC 8707). */
import { unexpectedType } from '../outbound/exchange.ts';
import type { AuthorizationServer } from './authorization-server.ts';
import type { OAuthClient } from './client-authentication.ts';
import { limitsOf, type OAuthContext } from './context.ts';
import { readJson } from './documents.ts';
import { quote } from './quote.ts';
import { type CredentialAnswer, sendCredential } from './send-credential.ts';
import { parseTokens, type Tokens } from './token-answer.ts';
import { OAuthTokenError } from './token-error.ts';
import { errorOf, tokenRefusal } from './token-refusal.ts';

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
 * Sends a code once: it is used up afterwards, whatever the outcome, unless that is `not_sent`. `now` is the time of the
 * call: lifetimes are counted from it, so that a slow answer makes no token look younger. Throws OAuthTokenError, or the reason of `context.signal`.
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
 * Sends a refresh token. Only one request at a time may do so: a server that gives a new one may take a second use of the old for theft, and
 * revoke all. The result always has a refresh token, which replaces the one that was sent: the same when the server gave none (RFC 6749 6).
 * Throws OAuthTokenError, whose outcome says whether the one that was sent can still be used, or the reason of `context.signal`.
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
