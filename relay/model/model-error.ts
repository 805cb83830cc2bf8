/** Why a request of the agent got no answer of a model; its dialect says it in its own form. Pure. */
import { OutboundError, type OutboundErrorCode } from '../../lib/outbound/errors.ts';

export type ModelErrorType =
  | 'invalid_request_error'
  | 'billing_error'
  | 'not_found_error'
  | 'request_too_large'
  | 'rate_limit_error'
  | 'api_error'
  | 'timeout_error'
  | 'overloaded_error';

const statusOf: Record<ModelErrorType, number> = {
  invalid_request_error: 400,
  billing_error: 402,
  not_found_error: 404,
  request_too_large: 413,
  rate_limit_error: 429,
  api_error: 500,
  timeout_error: 504,
  overloaded_error: 529,
};

interface ModelErrorOptions {
  /** Other than the usual one of its type. */
  status?: number;
  /** Seconds after which it may be tried again; null: not said. */
  retryAfter?: string | null;
  /** False where another attempt cannot help, although the status does not say so. */
  mayRetry?: boolean;
  /** By which the endpoint knows the request. */
  requestId?: string | null;
}

/** Its message is a sentence for the agent. It holds no key, and text of the endpoint only redacted. */
export class ModelError extends Error {
  override name = 'ModelError';
  readonly type: ModelErrorType;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly requestId: string | null;

  constructor(
    type: ModelErrorType,
    message: string,
    { status = statusOf[type], retryAfter = null, mayRetry = true, requestId = null }: ModelErrorOptions = {},
  ) {
    super(message);
    this.type = type;
    this.status = status;
    this.headers = {
      ...(retryAfter === null ? {} : { 'retry-after': retryAfter }),
      ...(mayRetry ? {} : { 'x-should-retry': 'false' }),
    };
    this.requestId = requestId;
  }
}

export const keyInPieces = ({ host }: URL): OutboundError =>
  new OutboundError('invalid_response', `${host} answers with a text that is not shown`);

/** The endpoint is another than it should be, or not to be used so: an operator has to look. */
const lasting: ReadonlySet<OutboundErrorCode> = new Set([
  'address_refused',
  'insecure',
  'certificate_refused',
  'client_certificate_required',
  'redirect_refused',
  'too_large',
  'unexpected_content_type',
]);

/**
 * A ModelError for whatever a request failed with. Messages of unforeseen errors are not passed
 * on: they may hold anything. `redact` clears the others of the key: they quote what the endpoint sent.
 */
export function explainFailure(error: unknown, redact: (text: string) => string): ModelError {
  if (error instanceof ModelError) {
    return error;
  }
  if (!(error instanceof OutboundError)) {
    return new ModelError('api_error', 'The request to the model failed unexpectedly');
  }
  const said = `The model gave no answer: ${redact(error.message)}`;
  return error.code === 'timed_out'
    ? new ModelError('timeout_error', said)
    : new ModelError('api_error', said, { status: 502, mayRetry: !lasting.has(error.code) });
}
