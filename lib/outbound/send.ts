/**
 * Guarded requests: each connection, also after a redirect, goes to an allowed address or is not made. `send`
 * makes one, `get` follows redirects, and `exchange` and `request` have a limit of time that covers
 * connection, headers and body.
 */
import { type Agent, type IncomingMessage, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { productSlug } from '../../contract/product-name.ts';
import { collectBytes } from '../timing/collected-bytes.ts';
import { withinLimit } from '../timing/time-limit.ts';
import { explainConnectionError } from './connection-errors.ts';
import { OutboundError } from './errors.ts';
import { guardedLookup, type ResolveName, refuseAddress } from './guarded-lookup.ts';
import { parseUrl } from './parse-url.ts';
import { allowsHttp, allowsPrivate, type OutboundPolicy } from './policy.ts';
import { literalAddress } from './special-ranges.ts';

export interface OutboundContext {
  policy: OutboundPolicy;
  /** Ends every request and every body. */
  signal: AbortSignal;
  resolveName: ResolveName;
  /**
   * Whose configuration named the host: look-ups of names have a share for each workspace. Null where a
   * process asks for nobody else.
   */
  workspaceId: string | null;
  /**
   * A Unix socket that is connected to in place of a host that the operator listed. Who listens there leads
   * to that host alone, and checks its address.
   */
  hostSocket?: string | undefined;
  /** PEM of a certificate authority beside the system's. */
  certificateAuthority?: string | undefined;
  /**
   * An agent that goes through a proxy to the host of a URL; false for a direct connection. A
   * proxy resolves names itself.
   */
  agentFor?: (url: URL) => Agent | false;
}

export type HttpMethod = 'GET' | 'POST' | 'PUT' | 'DELETE';

export interface OutgoingRequest {
  method: HttpMethod;
  headers: Readonly<Record<string, string>>;
  /** Null for none. */
  body: Buffer | null;
  /**
   * Called once the connection is made: when a request fails before, the other side has received none of it.
   */
  onConnected?: (() => void) | undefined;
  /** Called when the connection has taken the whole request. */
  onSent?: (() => void) | undefined;
}

/**
 * One request, without redirects. Returns the response, whose body must be read or destroyed. Throws
 * OutboundError, and connection errors as they are.
 */
export function send(
  context: OutboundContext,
  url: URL,
  { method, headers, body, onConnected = () => undefined, onSent = () => undefined }: OutgoingRequest,
): Promise<IncomingMessage> {
  const { policy, signal, resolveName, workspaceId, hostSocket, certificateAuthority } = context;
  const { agentFor = () => false } = context;
  return new Promise((resolve, reject) => {
    if (url.protocol !== 'https:' && !allowsHttp(policy, url)) {
      throw new OutboundError(
        'insecure',
        `${url.host} is asked over https only; ${policy.setting} names the hosts that speak plain http`,
      );
    }
    const literal = literalAddress(url.hostname);
    const socketPath = allowsPrivate(policy, url) ? hostSocket : undefined;
    if (literal !== null && socketPath === undefined) {
      refuseAddress(policy, url, literal);
    }
    const start = url.protocol === 'https:' ? requestHttps : requestHttp;
    const agent = agentFor(url);
    start(
      {
        method,
        protocol: url.protocol,
        // Without brackets: the connection expects a bare IPv6 address.
        hostname: literal ?? url.hostname,
        port: url.port,
        path: `${url.pathname}${url.search}`,
        headers: {
          'user-agent': productSlug,
          ...headers,
          ...(body === null ? {} : { 'content-length': String(body.length) }),
        },
        ...(socketPath === undefined ? {} : { socketPath }),
        lookup: guardedLookup(policy, url, (hostname) => resolveName(hostname, signal, workspaceId)),
        // A new connection for each request: none is reused that was checked for another.
        agent,
        ...(certificateAuthority === undefined ? {} : { ca: certificateAuthority }),
        signal,
      },
      resolve,
    )
      .on('error', reject)
      .on('socket', (socket) => {
        // An agent may bring a socket that is connected already.
        if (agent === false) {
          socket.once(url.protocol === 'https:' ? 'secureConnect' : 'connect', onConnected);
        } else {
          onConnected();
        }
      })
      .on('finish', onSent)
      // A connection that the server takes for another protocol ends without an error.
      .on('close', () => reject(new OutboundError('invalid_response', `${url.host} sent no HTTP response`)))
      .end(body ?? undefined);
  });
}

export interface HttpAnswer {
  /** The one that answered, after redirects. */
  url: URL;
  status: number;
  headers: IncomingMessage['headers'];
  /** Must be read or destroyed. */
  body: IncomingMessage;
}

/** A name has at most 253 characters; what a server sends may have any number. */
const maxShownHost = 253;
const redirectStatuses = new Set([301, 302, 303, 307, 308]);

/** Whether the answer leads elsewhere instead of being one. */
export const isRedirect = (status: number): boolean => redirectStatuses.has(status);

/**
 * Follows at most `redirects` redirects, to where `mayFollow` agrees. `Authorization` goes to the origin of
 * `url` alone. Throws OutboundError, and connection errors as they are.
 */
export async function get(
  context: OutboundContext,
  url: URL,
  headers: Readonly<Record<string, string>>,
  redirects: number,
  mayFollow: (target: URL) => boolean = () => true,
): Promise<HttpAnswer> {
  let target = url;
  for (let followed = 0; ; followed += 1) {
    const sent = target.origin === url.origin ? headers : publicPart(headers);
    const body = await send(context, target, { method: 'GET', headers: sent, body: null });
    const { statusCode: status = 0, headers: answered } = body;
    if (!isRedirect(status)) {
      return { url: target, status, headers: answered, body };
    }
    body.destroy();
    if (followed >= redirects) {
      throw new OutboundError('too_many_redirects', `${url.host} redirects more than ${redirects} times`);
    }
    const next = redirectTarget(answered.location, target);
    if (!mayFollow(next)) {
      throw refusedRedirect(target, answered.location);
    }
    target = next;
  }
}

/** The whole body. Throws OutboundError `too_large` as soon as it is longer than `maxBytes`. */
export function readResponseBody(body: IncomingMessage, maxBytes: number, what: string): Promise<Buffer> {
  const tooLarge = () => {
    body.destroy();
    return new OutboundError('too_large', `${what} is larger than ${maxBytes} bytes`);
  };
  return collectBytes(body, { maxBytes, tooLarge });
}

/**
 * The refusal of a redirect that could be followed but is not; names its host alone, since the rest may hold
 * anything, and what differs where that is a slash or the scheme.
 */
export function refusedRedirect(from: URL, location: string | undefined): OutboundError {
  const where = whereTo(from, redirectTarget(location, from));
  return new OutboundError('redirect_refused', `${from.host} redirects to ${where}, which is not followed`);
}

const withoutSlash = (path: string): string => path.replace(/\/$/, '');

/** Frameworks lead from an address without a slash to the one with it, and proxies from http to https. */
function whereTo(from: URL, target: URL): string {
  const { host } = target;
  if (host !== from.host) {
    return host.length > maxShownHost ? `${host.slice(0, maxShownHost)}…` : host;
  }
  if (target.search !== from.search || withoutSlash(target.pathname) !== withoutSlash(from.pathname)) {
    return 'another address of its own';
  }
  const scheme = target.protocol === from.protocol ? '' : ` over ${target.protocol.slice(0, -1)}`;
  const longer = target.pathname.length - from.pathname.length;
  const slash = longer > 0 ? ' with a slash at its end' : longer < 0 ? ' without the slash at its end' : '';
  return `the same address${scheme}${slash}`;
}

function publicPart(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).filter(([name]) => name.toLowerCase() !== 'authorization'),
  );
}

function redirectTarget(location: string | undefined, from: URL): URL {
  const target = location === undefined ? null : parseUrl(location, from);
  if (target === null || !/^https?:$/.test(target.protocol)) {
    throw new OutboundError(
      'invalid_response',
      `${from.host} redirects to something that is not a web address`,
    );
  }
  return target;
}

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
