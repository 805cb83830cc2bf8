/** Guarded GET requests, one at a time: every connection, also after a redirect, goes to an allowed address. */
import { lookup } from 'node:dns/promises';
import { type Agent, type IncomingMessage, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { literalAddress } from './classify-address.ts';
import { OutboundError } from './errors.ts';
import { guardedLookup, type ResolveName, refuseAddress } from './guarded-lookup.ts';
import { allowsHttp, type OutboundPolicy } from './policy.ts';

export interface OutboundContext {
  policy: OutboundPolicy;
  /** Ends every request and every body. */
  signal: AbortSignal;
  resolveName: ResolveName;
  /** PEM of a certificate authority beside the system's. */
  certificateAuthority?: string | undefined;
  /** An agent that goes through a proxy to the host of a URL; false for a direct connection. A proxy resolves names itself. */
  agentFor?: (url: URL) => Agent | false;
}

export interface HttpAnswer {
  /** The one that answered, after redirects. */
  url: URL;
  status: number;
  headers: IncomingMessage['headers'];
  /** Must be read or destroyed. */
  body: IncomingMessage;
}

export const resolveAllAddresses: ResolveName = (hostname) => lookup(hostname, { all: true });

const redirectStatuses = new Set([301, 302, 303, 307, 308]);

/**
 * Follows at most `redirects` redirects. `Authorization` goes to the origin of `url` alone.
 * Throws OutboundError, and connection errors as they are.
 */
export async function get(
  context: OutboundContext,
  url: URL,
  headers: Readonly<Record<string, string>>,
  redirects: number,
): Promise<HttpAnswer> {
  let target = url;
  for (let followed = 0; ; followed += 1) {
    const body = await send(context, target, target.origin === url.origin ? headers : publicPart(headers));
    const { statusCode: status = 0, headers: answered } = body;
    if (!redirectStatuses.has(status)) {
      return { url: target, status, headers: answered, body };
    }
    body.destroy();
    if (followed >= redirects) {
      throw new OutboundError('too_many_redirects', `${url.host} redirects more than ${redirects} times`);
    }
    target = redirectTarget(answered.location, target);
  }
}

/** The whole body. Throws OutboundError `too_large` as soon as it is longer than `maxBytes`. */
export async function readResponseBody(
  body: IncomingMessage,
  maxBytes: number,
  what: string,
): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of body) {
    size += chunk.length;
    if (size > maxBytes) {
      body.destroy();
      throw new OutboundError('too_large', `${what} is larger than ${maxBytes} bytes`);
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function publicPart(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => name !== 'authorization'));
}

function redirectTarget(location: string | undefined, from: URL): URL {
  const target = location !== undefined && URL.canParse(location, from.href) ? new URL(location, from) : null;
  if (target === null || !/^https?:$/.test(target.protocol)) {
    throw new OutboundError(
      'invalid_response',
      `${from.host} redirects to something that is not a web address`,
    );
  }
  return target;
}

function send(
  { policy, signal, resolveName, certificateAuthority, agentFor = () => false }: OutboundContext,
  url: URL,
  headers: Readonly<Record<string, string>>,
): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    if (url.protocol !== 'https:' && !allowsHttp(policy, url)) {
      throw new OutboundError(
        'insecure',
        `${url.host} is asked over https only; ${policy.setting} names the hosts that speak plain http`,
      );
    }
    const literal = literalAddress(url.hostname);
    if (literal !== null) {
      refuseAddress(policy, url, literal);
    }
    const start = url.protocol === 'https:' ? requestHttps : requestHttp;
    start(
      {
        protocol: url.protocol,
        // Without brackets: the connection expects a bare IPv6 address.
        hostname: literal ?? url.hostname,
        port: url.port,
        path: `${url.pathname}${url.search}`,
        headers: { 'user-agent': 'agent-platform', ...headers },
        lookup: guardedLookup(policy, url, resolveName),
        // A new connection for each request: none is reused that was checked for another.
        agent: agentFor(url),
        ...(certificateAuthority === undefined ? {} : { ca: certificateAuthority }),
        signal,
      },
      resolve,
    )
      .on('error', reject)
      .end();
  });
}
