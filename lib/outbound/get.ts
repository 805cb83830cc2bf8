/**
 * Guarded GET requests, one at a time: every connection, also after a redirect, goes to an allowed address.
 */
import type { IncomingMessage } from 'node:http';
import { collectBytes } from '../timing/collected-bytes.ts';
import { OutboundError } from './errors.ts';
import { parseUrl } from './parse-url.ts';
import { type OutboundContext, send } from './send.ts';

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
