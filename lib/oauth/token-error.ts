/** Why tokens were not given, or not taken, and whether the credential that was sent for them can still be used. */
import { explained } from './documents.ts';
import { OAuthDiscoveryError } from './errors.ts';

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
 * The outcome of a request. `not_sent`: the server has received none of it, so the same credential may be sent again. `refused`: the
 * server answered that it gave nothing for it. `unknown`: the code or refresh token may be used up; it may be sent once more, and a server
 * that takes this for theft answers `invalid_grant`.
 */
export type RequestOutcome = 'not_sent' | 'refused' | 'unknown';

/**
 * Its message is one sentence without any credential; text of a server is in it only from `error` and `error_description`, as `quote` makes
 * it. `isTemporary` says that the same request may succeed later without anybody changing anything.
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

/** A refused address, a failed request or an answer that is not used, as an OAuthTokenError; anything else as it is. */
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
