/** Why a request to a host that somebody else chose was not made, or its response not used. */
export type OutboundErrorCode =
  | 'unreachable'
  | 'address_refused'
  | 'insecure'
  | 'too_many_redirects'
  | 'invalid_response'
  | 'too_large';

/** Holds no credential: its message is shown and logged. */
export class OutboundError extends Error {
  override name = 'OutboundError';
  readonly code: OutboundErrorCode;

  constructor(code: OutboundErrorCode, message: string) {
    super(message);
    this.code = code;
  }
}
