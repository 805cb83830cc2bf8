/** Why a request to a host that somebody else chose was not made, or its response not used. */
export type OutboundErrorCode =
  | 'unreachable'
  | 'connection_refused'
  | 'address_refused'
  | 'insecure'
  | 'certificate_refused'
  | 'client_certificate_required'
  | 'tls_failed'
  | 'timed_out'
  | 'too_many_redirects'
  | 'redirect_refused'
  | 'invalid_response'
  | 'unexpected_content_type'
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
