/**
 * Where a person's browser is led to sign in (RFC 6749 4.1.1, PKCE of RFC 7636, RFC 8707), and what the
 * authorization server sends back by it (RFC 6749 4.1.2, RFC 9207, MCP "Authorization Response Validation").
 * Pure.
 */
import { createHash } from 'node:crypto';
import type { OutboundPolicy } from '../outbound/policy.ts';
import { quote, quoteError } from './errors.ts';
import type { AuthorizationServer } from './metadata.ts';
import { parseServerUrl } from './requests.ts';

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
 * Makes a request with a state and a verifier of its own; `random` returns so many random bytes. Throws
 * OAuthDiscoveryError `endpoint_refused` when the endpoint, which was checked when it was discovered, is no
 * longer one that people may be led to.
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

export type OAuthResponseErrorCode = 'response_invalid' | 'issuer_missing' | 'issuer_mismatch';

/**
 * The response is not used, and nothing was sent because of it. Its message is one
 * sentence without any credential.
 */
export class OAuthResponseError extends Error {
  override name = 'OAuthResponseError';
  readonly code: OAuthResponseErrorCode;

  constructor(code: OAuthResponseErrorCode, message: string) {
    super(message);
    this.code = code;
  }
}

/** The parameters as they came, each at most once; nothing is checked yet but their shape. */
export interface AuthorizationResponse {
  /** To find what was begun; compared in constant time, or looked up by its hash. */
  state: string;
  code: string | null;
  issuer: string | null;
  error: string | null;
  errorDescription: string | null;
}

/** Sentences are for the person who signs in. */
export type AuthorizationOutcome =
  | { kind: 'code'; code: string }
  /** By that person. */
  | { kind: 'denied'; error: string; sentence: string }
  /** By the server. */
  | { kind: 'refused'; error: string; sentence: string };

const maxLength = 16 * 1024;
const statePattern = /^[A-Za-z0-9_-]{43}$/;
const codePattern = /^[\x20-\x7e]{1,8192}$/;
/** RFC 6749 4.1.2.1. */
const errorPattern = /^[\x20-\x21\x23-\x5b\x5d-\x7e]{1,200}$/;

/**
 * Reads the query of the callback, without its question mark. Throws OAuthResponseError
 * `response_invalid`, and nothing else.
 */
export function parseAuthorizationResponse(query: string): AuthorizationResponse {
  if (query.length > maxLength) {
    throw invalid(`is longer than ${maxLength} characters`);
  }
  const parameters = new URLSearchParams(query);
  const names = [...parameters.keys()];
  // Of two values, one part of the platform could check the first and another use the second (RFC 6749 3.1).
  const twice = names.find((name, at) => names.indexOf(name) !== at);
  if (twice !== undefined) {
    throw invalid('has a parameter twice');
  }
  const state = parameters.get('state');
  if (state === null || !statePattern.test(state)) {
    throw invalid('lacks the state of a sign-in that was begun here');
  }
  const [code, error] = [parameters.get('code'), parameters.get('error')];
  if ((code === null) === (error === null)) {
    throw invalid(code === null ? 'has neither a code nor an error' : 'has both a code and an error');
  }
  if (code !== null && !codePattern.test(code)) {
    throw invalid('has a code with characters that no code has');
  }
  if (error !== null && !errorPattern.test(error)) {
    throw invalid('has an error with characters that no error has');
  }
  return {
    state,
    code,
    issuer: parameters.get('iss'),
    error,
    errorDescription: parameters.get('error_description'),
  };
}

/**
 * What the response means, once its state was found to be the one of a sign-in that this browser began
 * at `server`. The issuer is compared first, in error answers too: the code of another server must not
 * be sent to this one, nor its words be shown as this one's. Throws OAuthResponseError
 * `issuer_missing` or `issuer_mismatch`.
 */
export function readAuthorizationResponse(
  server: Pick<AuthorizationServer, 'issuer' | 'sendsIssuer'>,
  response: AuthorizationResponse,
): AuthorizationOutcome {
  requireIssuer(server, response.issuer);
  const { code, error } = response;
  if (code !== null) {
    return { kind: 'code', code };
  }
  // One of the two is there: `parseAuthorizationResponse` requires it.
  return explainRefusal(server, response, error ?? 'none');
}

/** Plain comparison of texts, without any tolerance for a slash at the end or a port (RFC 9207 2.4). */
function requireIssuer(
  { issuer, sendsIssuer }: Pick<AuthorizationServer, 'issuer' | 'sendsIssuer'>,
  named: string | null,
): void {
  if (named === null && sendsIssuer) {
    throw new OAuthResponseError(
      'issuer_missing',
      `The answer does not say that it is from ${quote(issuer)}, which names itself in all its answers; it is not used, so sign in again, and ask the server's operator if that repeats.`,
    );
  }
  if (named !== null && named !== issuer) {
    throw new OAuthResponseError(
      'issuer_mismatch',
      `The sign-in was begun at ${quote(issuer)}, but the answer says that it is from ${quote(named)}; it is not used, so sign in again, and tell an admin if that repeats.`,
    );
  }
}

const wayOn: Readonly<Record<string, string>> = {
  invalid_scope: 'ask an admin to change the scopes of the entry',
  temporarily_unavailable: 'try again later',
  server_error: 'try again later',
};

function explainRefusal(
  { issuer }: Pick<AuthorizationServer, 'issuer'>,
  { state, errorDescription }: AuthorizationResponse,
  error: string,
): AuthorizationOutcome {
  const said = quoteError({ error, description: errorDescription ?? undefined }, [state]);
  if (error === 'access_denied') {
    const sentence = `Access was denied at ${quote(issuer)}: ${said}; sign in again to allow it.`;
    return { kind: 'denied', error, sentence };
  }
  const way = Object.hasOwn(wayOn, error) ? wayOn[error] : "ask an admin or the server's operator";
  return { kind: 'refused', error, sentence: `${quote(issuer)} refuses the sign-in: ${said}; ${way}.` };
}

const invalid = (why: string) =>
  new OAuthResponseError(
    'response_invalid',
    `This answer ${why}; it is not used, so go back to the platform and sign in again.`,
  );
