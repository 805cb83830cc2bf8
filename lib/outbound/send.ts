/** One guarded request, without redirects: the connection goes to an allowed address or is not made. */
import { type Agent, type IncomingMessage, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { productSlug } from '../../contract/product-name.ts';
import { literalAddress } from './classify-address.ts';
import { OutboundError } from './errors.ts';
import { guardedLookup, type ResolveName, refuseAddress } from './guarded-lookup.ts';
import { allowsHttp, allowsPrivate, type OutboundPolicy } from './policy.ts';

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
 * Returns the response, whose body must be read or destroyed. Throws OutboundError, and
 * connection errors as they are.
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
