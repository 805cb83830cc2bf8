/** One guarded request, without redirects: the connection goes to an allowed address or is not made. */
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

export type HttpMethod = 'GET' | 'POST' | 'PUT' | 'DELETE';

export interface OutgoingRequest {
  method: HttpMethod;
  headers: Readonly<Record<string, string>>;
  /** Null for none. */
  body: Buffer | null;
}

export const resolveAllAddresses: ResolveName = (hostname) => lookup(hostname, { all: true });

/** Returns the response, whose body must be read or destroyed. Throws OutboundError, and connection errors as they are. */
export function send(
  { policy, signal, resolveName, certificateAuthority, agentFor = () => false }: OutboundContext,
  url: URL,
  { method, headers, body }: OutgoingRequest,
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
        method,
        protocol: url.protocol,
        // Without brackets: the connection expects a bare IPv6 address.
        hostname: literal ?? url.hostname,
        port: url.port,
        path: `${url.pathname}${url.search}`,
        headers: {
          'user-agent': 'agent-platform',
          ...headers,
          ...(body === null ? {} : { 'content-length': String(body.length) }),
        },
        lookup: guardedLookup(policy, url, resolveName),
        // A new connection for each request: none is reused that was checked for another.
        agent: agentFor(url),
        ...(certificateAuthority === undefined ? {} : { ca: certificateAuthority }),
        signal,
      },
      resolve,
    )
      .on('error', reject)
      // A connection that the server takes for another protocol ends without an error.
      .on('close', () => reject(new OutboundError('invalid_response', `${url.host} sent no HTTP response`)))
      .end(body ?? undefined);
  });
}
