/** Guarded requests of every method, each with a limit of time that covers connection, headers and body. */
import { withinLimit } from '../timing/time-limit.ts';
import { explainConnectionError } from './connection-errors.ts';
import { OutboundError } from './errors.ts';
import { get, type HttpAnswer, isRedirect, readResponseBody, refusedRedirect } from './get.ts';
import { type HttpMethod, type OutboundContext, send } from './send.ts';

export interface OutboundRequest {
  method: HttpMethod;
  url: URL;
  headers?: Readonly<Record<string, string>>;
  body?: RequestBody;
  /** From the first look-up to the last byte. */
  timeoutMs: number;
  /** How many redirects a plain GET follows, within its origin; none by default. */
  redirects?: number;
  /** As in `OutgoingRequest`; of a request that follows no redirects. */
  onConnected?: () => void;
}

/** Fields of a form are sent as `application/x-www-form-urlencoded`. */
export type RequestBody = { json: unknown } | { form: Readonly<Record<string, string>> };

export interface BodyLimits {
  /** Media types that the body may have. */
  contentTypes: readonly string[];
  maxBytes: number;
}

export interface OutboundAnswer {
  status: number;
  headers: HttpAnswer['headers'];
  /** In lower case, without parameters; empty when the server names none. */
  contentType: string;
  /** Empty when the type is none of the expected ones. */
  body: Buffer;
}

/**
 * Headers that hold no credential. Any other may be one: servers with static keys name
 * their header themselves.
 */
const plainHeaders = new Set(['accept', 'mcp-protocol-version']);

/**
 * Makes the request and reads the answer with `read`, whose signal and deadline are those of the request. No
 * redirect is followed after anything but a plain GET: a credential or a body would go where somebody else
 * says. Throws OutboundError and nothing else, but for the reason of `context.signal` and what `read` itself
 * throws as an OutboundError.
 */
export async function exchange<Result>(
  context: OutboundContext,
  request: OutboundRequest,
  read: (answer: HttpAnswer) => Promise<Result>,
): Promise<Result> {
  const { url, timeoutMs } = request;
  const late = new OutboundError('timed_out', `${url.host} took longer than ${timeoutMs / 1000} seconds`);
  return withinLimit(
    timeoutMs,
    context.signal,
    async (signal) => {
      let answer: HttpAnswer | null = null;
      try {
        answer = await start({ ...context, signal }, request);
        return await read(answer);
      } catch (error) {
        throw signal.aborted ? signal.reason : explainConnectionError(url, error);
      } finally {
        answer?.body.destroy();
      }
    },
    late,
  );
}

/**
 * Makes the request and reads the whole body. A success of an unexpected type is refused; of any other status
 * its body is left out, since only the status says something then. Throws as `exchange` does.
 */
export function request(
  context: OutboundContext,
  sent: OutboundRequest & BodyLimits,
): Promise<OutboundAnswer> {
  return exchange(context, sent, async ({ status, headers, body }) => {
    const contentType = mediaType(headers['content-type']);
    const isExpected = sent.contentTypes.includes(contentType);
    if (!isExpected && status >= 200 && status < 300 && sent.contentTypes.length > 0) {
      throw unexpectedType(sent.url, contentType, sent.contentTypes);
    }
    const what = `the answer of ${sent.url.host}`;
    const bytes = isExpected ? await readResponseBody(body, sent.maxBytes, what) : Buffer.alloc(0);
    return { status, headers, contentType, body: bytes };
  });
}

/** Whether redirects of this request may be followed at all. */
export const isPlainGet = ({ method, headers = {}, body, url }: OutboundRequest): boolean =>
  method === 'GET' &&
  body === undefined &&
  url.username === '' &&
  url.password === '' &&
  Object.keys(headers).every((name) => plainHeaders.has(name.toLowerCase()));

/** A header's media type in lower case, without parameters. */
export const mediaType = (header: string | undefined): string =>
  (header ?? '').split(';')[0]?.trim().toLowerCase() ?? '';

/** The refusal of a body by its type. */
export function unexpectedType(url: URL, found: string, expected: readonly string[]): OutboundError {
  const shown = /^[\w.+-]{1,60}\/[\w.+-]{1,60}$/.test(found) ? found : 'no readable type';
  return new OutboundError(
    'unexpected_content_type',
    `${url.host} answers with ${shown} where ${expected.join(' or ')} is expected`,
  );
}

async function start(context: OutboundContext, sent: OutboundRequest): Promise<HttpAnswer> {
  const { method, url, headers = {}, redirects = 0, onConnected } = sent;
  if (isPlainGet(sent) && redirects > 0) {
    return get(context, url, headers, redirects, (target) => target.origin === url.origin);
  }
  const { type, bytes } = encodeBody(sent.body);
  const typed = type === null ? headers : { ...headers, 'content-type': type };
  const body = await send(context, url, { method, headers: typed, body: bytes, onConnected });
  const { statusCode: status = 0, headers: answered } = body;
  if (isRedirect(status)) {
    body.destroy();
    throw refusedRedirect(url, answered.location);
  }
  return { url, status, headers: answered, body };
}

function encodeBody(body: RequestBody | undefined): { type: string | null; bytes: Buffer | null } {
  if (body === undefined) {
    return { type: null, bytes: null };
  }
  return 'json' in body
    ? { type: 'application/json', bytes: Buffer.from(JSON.stringify(body.json)) }
    : {
        type: 'application/x-www-form-urlencoded',
        bytes: Buffer.from(new URLSearchParams(body.form).toString()),
      };
}
