/**
 * Why tokens were not given, or not taken, and what that means for the credential that was sent (RFC 6749
 * 5.2, RFC 8707 2).
 */

import * as z from 'zod';
import { parseBoundedJson } from '../outbound/bounded-json.ts';
import { OAuthDiscoveryError, quote, quoteError, type SaidError } from './errors.ts';
import type { AuthorizationServer } from './metadata.ts';
import { explained, isTrouble } from './requests.ts';
import type { CredentialAnswer } from './send-credential.ts';

export type OAuthTokenErrorCode =
  /** The code or the refresh token is of no use any more: the person has to sign in again. */
  | 'invalid_grant'
  /** The client is of no use any more: it has to be registered again. */
  | 'invalid_client'
  /** The server makes no tokens for this resource (RFC 8707). */
  | 'invalid_target'
  | 'invalid_scope'
  /** Refused for another reason, which needs the server's operator or an admin. */
  | 'request_refused'
  /** It answered with something that is not used. */
  | 'answer_refused'
  /** Its address is one that no request goes to. */
  | 'address_refused'
  /** It cannot be reached, or is in trouble. */
  | 'unreachable';

/**
 * The outcome of a request. `not_sent`: the server has received none of it, so the same credential may
 * be sent again. `refused`: the server answered that it gave nothing for it. `unknown`: the code or
 * refresh token may be used up; it may be sent once more, and a server that takes this for theft
 * answers `invalid_grant`.
 */
export type RequestOutcome = 'not_sent' | 'refused' | 'unknown';

/**
 * Its message is one sentence without any credential; text of a server is in it only from `error` and
 * `error_description`, as `quote` makes it. `isTemporary` says that the same request may succeed later
 * without anybody changing anything.
 */
export class OAuthTokenError extends Error {
  override name = 'OAuthTokenError';
  readonly code: OAuthTokenErrorCode;
  readonly outcome: RequestOutcome;
  readonly isTemporary: boolean;

  constructor(code: OAuthTokenErrorCode, message: string, outcome: RequestOutcome, isTemporary = false) {
    super(message);
    this.code = code;
    this.outcome = outcome;
    this.isTemporary = isTemporary;
  }
}

/**
 * A refused address, a failed request or an answer that is not used, as an
 * OAuthTokenError; anything else as it is.
 */
export function asTokenError(error: unknown, outcome: RequestOutcome): unknown {
  const known = explained(error);
  return known instanceof OAuthDiscoveryError
    ? new OAuthTokenError(codeOf(known), known.message, outcome, known.isTemporary)
    : known;
}

function codeOf({ code }: OAuthDiscoveryError): OAuthTokenErrorCode {
  switch (code) {
    case 'unreachable':
      return 'unreachable';
    case 'address_refused':
    case 'endpoint_refused':
      return 'address_refused';
    default:
      return 'answer_refused';
  }
}

const errorAnswer = z
  .object({ error: z.string().min(1), error_description: z.string().optional().catch(undefined) })
  .transform(({ error, error_description: description }): SaidError => ({ error, description }));

/** The error in a parsed answer; null when it holds none. */
export const errorOf = (value: unknown): SaidError | null => errorAnswer.safeParse(value).data ?? null;

/** The error in the body of an answer; null when it holds none that can be read. */
export function readError({ body }: Pick<CredentialAnswer, 'body'>): SaidError | null {
  const parsed = parseBoundedJson(body, 100);
  return 'value' in parsed ? errorOf(parsed.value) : null;
}

/**
 * Those that say what is to be done. `unauthorized_client` is none of them: the server knows the client,
 * and refuses it this grant, or this person (RFC 6749 5.2), which says nothing about the sign-ins of
 * others. With 401, the status of a client that could not be authenticated, it does say that the client is
 * unknown: the Python SDK's server has that name for it. The names of GitHub, which answers 200 with them,
 * are beside those of RFC 6749.
 */
const meanings = new Map<string, OAuthTokenErrorCode>([
  ['invalid_grant', 'invalid_grant'],
  ['bad_verification_code', 'invalid_grant'],
  ['bad_refresh_token', 'invalid_grant'],
  ['invalid_client', 'invalid_client'],
  ['incorrect_client_credentials', 'invalid_client'],
  ['invalid_target', 'invalid_target'],
  ['invalid_scope', 'invalid_scope'],
  ['server_error', 'unreachable'],
  ['temporarily_unavailable', 'unreachable'],
]);

function meaningOf({ error }: SaidError, status: number): OAuthTokenErrorCode {
  const isUnknown = status === 401 && error === 'unauthorized_client';
  return isUnknown ? 'invalid_client' : (meanings.get(error) ?? 'request_refused');
}

const wayOn: Readonly<Partial<Record<OAuthTokenErrorCode, string>>> = {
  invalid_grant: 'sign in again',
  invalid_client: 'the platform has to be registered there again',
  invalid_target: "it gives no tokens for this MCP server, so ask that server's operator",
  invalid_scope: 'an admin can change the scopes of the entry',
  unreachable: 'try again later',
};

/**
 * The refusal as one sentence. A 401 alone does not say that the client is unknown, since proxies answer with
 * it too: only `invalid_client` does. `asked` is what was refused, as in "to give tokens".
 */
export function tokenRefusal(
  { issuer }: Pick<AuthorizationServer, 'issuer'>,
  answer: Pick<CredentialAnswer, 'status' | 'body' | 'secrets'>,
  asked: string,
): OAuthTokenError {
  const { status, secrets } = answer;
  const who = `The authorization server ${quote(issuer)}`;
  if (isTrouble(status)) {
    // What it did before it had trouble is unknown, but for too many requests.
    const outcome = status === 429 ? 'refused' : 'unknown';
    return new OAuthTokenError('unreachable', `${who} answered ${status}; try again later.`, outcome, true);
  }
  const said = readError(answer);
  if (said === null && status < 400) {
    const message = `${who} answered ${status}, which is no answer to a request ${asked}.`;
    return new OAuthTokenError('answer_refused', message, 'unknown');
  }
  const code = said === null ? 'request_refused' : meaningOf(said, status);
  const why = said === null ? `it answered ${status}` : quoteError(said, secrets);
  const way = wayOn[code] ?? "ask the server's operator";
  const isTemporary = code === 'unreachable';
  const message = `${who} refuses ${asked}: ${why}; ${way}.`;
  return new OAuthTokenError(code, message, isTemporary ? 'unknown' : 'refused', isTemporary);
}
