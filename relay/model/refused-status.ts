/** What an answer of the endpoint that is none of a model means for the agent. Pure. */
import { jsonOrNull } from '../../contract/json-or-null.ts';
import type { HttpAnswer } from '../../lib/outbound/get.ts';
import { memberOf } from './member-of.ts';
import { ModelError, type ModelErrorType } from './model-error.ts';

const maxSaid = 2000;
/** Errors of the request itself, which the agent can mend. */
const ofRequest: Readonly<Record<number, ModelErrorType>> = {
  400: 'invalid_request_error',
  404: 'not_found_error',
  413: 'request_too_large',
  422: 'invalid_request_error',
};

/** `body`: what the endpoint said, which `blackOut` clears of the key. */
export function refusedStatus(
  { url, status, headers }: Pick<HttpAnswer, 'url' | 'status' | 'headers'>,
  body: string,
  blackOut: (text: string) => string,
): ModelError {
  const said = blackOut(messageIn(body) ?? '').slice(0, maxSaid);
  const requestId = requestIdOf(headers, blackOut);
  const retryAfter = retryAfterOf(headers['retry-after']);
  const text = (otherwise: string) => (said === '' ? otherwise : said);
  const known = ofRequest[status];
  if (known !== undefined) {
    return new ModelError(known, text(`${url.host} refuses the request (${status})`), { status, requestId });
  }
  if (status === 401 || status === 403) {
    const why = `${url.host} refuses the key of this agent's model access (${status}); an admin has to look at it`;
    // Clients that read "x-api-key" show a sentence of their own, about a key that their user could mend.
    const quoted = said.replace(/x-api-key/gi, 'key');
    return new ModelError('api_error', said === '' ? why : `${why}. It says: ${quoted}`, {
      status: 400,
      mayRetry: false,
      requestId,
    });
  }
  if (status === 402) {
    return new ModelError('billing_error', text(`${url.host} asks for payment`), {
      requestId,
      mayRetry: false,
    });
  }
  if (status === 429) {
    return new ModelError('rate_limit_error', text(`${url.host} takes fewer requests`), {
      retryAfter,
      requestId,
    });
  }
  if (status === 529 || status === 503) {
    return new ModelError('overloaded_error', text(`${url.host} is overloaded`), {
      status,
      retryAfter,
      requestId,
    });
  }
  const isFault = status >= 500 && status < 600;
  return new ModelError('api_error', text(`${url.host} answers ${status}`), {
    status: isFault ? status : 502,
    retryAfter,
    requestId,
  });
}

/** Seconds, within reason; dates and anything else are left out. */
function retryAfterOf(header: string | undefined): string | null {
  return header !== undefined && /^\d{1,4}$/.test(header) ? header : null;
}

export function requestIdOf(
  headers: HttpAnswer['headers'],
  blackOut: (text: string) => string,
): string | null {
  const id = headers['request-id'];
  return typeof id === 'string' && /^[\w.-]{1,100}$/.test(id) && blackOut(id) === id ? id : null;
}

/** Of `{type: "error", error: {type, message}}`; null for anything else. */
export function messageIn(text: string): string | null {
  const message = memberOf(memberOf(jsonOrNull(text), 'error'), 'message');
  return typeof message === 'string' ? message : null;
}
