/**
 * What a failed connection means, as one sentence. Messages of libraries are not passed on: they may
 * echo what was sent. Pure.
 */
import { OutboundError, type OutboundErrorCode } from './errors.ts';

const explained: readonly [RegExp, OutboundErrorCode, string][] = [
  [/^ECONNREFUSED$/, 'connection_refused', 'refuses the connection; is a server listening there?'],
  [/^(ENOTFOUND|EAI_NODATA|EAI_NONAME)$/, 'unreachable', 'has no address; is its name spelled right?'],
  [/^EAI_/, 'unreachable', 'could not be looked up'],
  [
    /CERTIFICATE_REQUIRED/,
    'client_certificate_required',
    'asks for a client certificate, which the platform has none of',
  ],
  [
    /^(SELF_SIGNED_CERT|DEPTH_ZERO|UNABLE_TO_|CERT_|CRL_|ERR_TLS_CERT|INVALID_CA|INVALID_PURPOSE|HOSTNAME_MISMATCH|PATH_LENGTH)/,
    'certificate_refused',
    'has a certificate that is not trusted here',
  ],
  [/^(ERR_SSL_|ERR_TLS_|EPROTO)/, 'tls_failed', 'could not agree on an encrypted connection'],
  [/^HPE_HEADER_OVERFLOW$/, 'too_large', 'answers with headers that are larger than 16 KiB'],
  [/^HPE_/, 'invalid_response', 'answers with something that is not HTTP'],
  [/^(ECONNRESET|EPIPE|ECONNABORTED)$/, 'unreachable', 'closed the connection before it answered'],
];

/** An OutboundError for whatever a request failed with; one that is an OutboundError stays as it is. */
export function explainConnectionError(url: URL, error: unknown): OutboundError {
  if (error instanceof OutboundError) {
    return error;
  }
  const code = systemCode(error);
  const [, known, sentence] = explained.find(([pattern]) => pattern.test(code)) ?? [];
  return known === undefined || sentence === undefined
    ? new OutboundError(
        'unreachable',
        `${url.host} cannot be reached${/^\w+$/.test(code) ? ` (${code})` : ''}`,
      )
    : new OutboundError(known, `${url.host} ${sentence} (${code})`);
}

function systemCode(error: unknown): string {
  const code = typeof error === 'object' && error !== null && 'code' in error ? error.code : null;
  return typeof code === 'string' ? code : '';
}
