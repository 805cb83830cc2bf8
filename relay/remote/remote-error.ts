/**
 * Why a request of the agent got no answer of the remote server, as the JSON-RPC error
 * that the agent reads. Pure.
 */
import { OutboundError, type OutboundErrorCode } from '../../lib/outbound/errors.ts';

export type RemoteErrorCode =
  /** The guard refuses its address. */
  | 'address_refused'
  /** It answered with what is no answer, such as a redirect or a page. */
  | 'answer_refused'
  /** The operator has to sign in. */
  | 'authorization_required'
  /** It refuses the credential that the entry has, or asks for one that it has not. */
  | 'credential_refused'
  /** The agent's own message cannot be sent. */
  | 'invalid_message'
  | 'server_unavailable'
  | 'session_expired'
  | 'timed_out'
  | 'too_many_requests';

export type RequestId = string | number;

/**
 * Its message is a sentence for the agent. It holds no credential, and text of a server
 * only as `quote` makes it.
 */
export class RemoteError extends Error {
  override name = 'RemoteError';
  readonly code: RemoteErrorCode;

  constructor(code: RemoteErrorCode, message: string) {
    super(message);
    this.code = code;
  }
}

const codeOf: Record<OutboundErrorCode, RemoteErrorCode> = {
  unreachable: 'server_unavailable',
  connection_refused: 'server_unavailable',
  address_refused: 'address_refused',
  insecure: 'address_refused',
  certificate_refused: 'server_unavailable',
  client_certificate_required: 'server_unavailable',
  tls_failed: 'server_unavailable',
  timed_out: 'timed_out',
  too_many_redirects: 'answer_refused',
  redirect_refused: 'answer_refused',
  invalid_response: 'answer_refused',
  unexpected_content_type: 'answer_refused',
  too_large: 'answer_refused',
};

/**
 * A RemoteError for whatever a request failed with. Messages of unforeseen errors are not passed
 * on: they may hold anything.
 */
export function explainFailure(error: unknown): RemoteError {
  if (error instanceof RemoteError) {
    return error;
  }
  return error instanceof OutboundError
    ? new RemoteError(codeOf[error.code], error.message)
    : new RemoteError('server_unavailable', 'The request to the remote server failed unexpectedly');
}

const rpcErrorCode = { invalid_message: -32600, other: -32603 };

/**
 * The error as a message on one line, without its line feed. Without an id the member is
 * left out, as MCP has it.
 */
export function errorText(id: RequestId | null, { code, message }: RemoteError): string {
  return JSON.stringify({
    jsonrpc: '2.0',
    ...(id === null ? {} : { id }),
    error: {
      code: code === 'invalid_message' ? rpcErrorCode.invalid_message : rpcErrorCode.other,
      message,
      data: { code },
    },
  });
}
