/** What an answer of the endpoint that is none of a model means for the agent. Pure. */
import { jsonOrNull } from '../../contract/json-or-null.ts';
import type { HttpAnswer } from '../../lib/outbound/send.ts';
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

interface Refusal {
  /** What the endpoint said, which `redact` clears of the key. */
  body: string;
  requestId: string | null;
  redact(text: string): string;
  nowMs?: number;
}

export function refusedStatus(
  { url, status, headers }: Pick<HttpAnswer, 'url' | 'status' | 'headers'>,
  { body, requestId, redact, nowMs = Date.now() }: Refusal,
): ModelError {
  const said = redact(messageIn(body) ?? '').slice(0, maxSaid);
  const retryAfter = retryAfterOf(headers['retry-after'], nowMs);
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

const dateOfHttp = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/;

/** Seconds, within reason, also where a date is named; anything else is left out. */
function retryAfterOf(header: string | undefined, nowMs: number): string | null {
  if (header === undefined || /^\d{1,4}$/.test(header)) {
    return header ?? null;
  }
  const seconds = dateOfHttp.test(header) ? Math.ceil((Date.parse(header) - nowMs) / 1000) : Number.NaN;
  return seconds < 10_000 ? String(Math.max(0, seconds)) : null;
}

/** The name by which the endpoint knows a request, when it is nothing else. */
export function requestIdOf(id: unknown, redact: (text: string) => string): string | null {
  return typeof id === 'string' && /^[\w.-]{1,100}$/.test(id) && redact(id) === id ? id : null;
}

/** Of `{error: {message}}`, as every dialect says it, or `{error: "..."}`; null for anything else. */
export function messageIn(text: string): string | null {
  const error = memberOf(jsonOrNull(text), 'error');
  const message = typeof error === 'string' ? error : memberOf(error, 'message');
  return typeof message === 'string' ? message : null;
}
