/**
 * Requests to the API server, each with a timeout. The library provides its address and credentials; see
 * `cluster.ts` for the calls.
 */
import type { IncomingMessage } from 'node:http';
import { Agent, type RequestOptions, request } from 'node:https';
import { text } from 'node:stream/consumers';
import type { KubeConfig } from '@kubernetes/client-node';
import * as z from 'zod';
import { withinLimit } from '../../lib/timing/time-limit.ts';

export interface ClusterRequest {
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  path: string;
  query?: Readonly<Record<string, string>>;
  body?: unknown;
  contentType?: string;
  signal?: AbortSignal | undefined;
}

export interface Requests {
  /** The parsed response. Throws ClusterError. */
  json(asked: ClusterRequest): Promise<unknown>;
  /** A streamed response, until `signal` is aborted or the server ends it. Throws ClusterError. */
  stream(asked: ClusterRequest & { signal: AbortSignal }): Promise<IncomingMessage>;
  close(): void;
}

/** `status` null: there was no response. The message is the cluster's own. */
export class ClusterError extends Error {
  override name = 'ClusterError';
  readonly status: number | null;
  /** The cluster's own reason, such as `NotFound`; null in a response that is not the cluster's. */
  readonly reason: string | null;
  constructor(status: number | null, message: string, reason: string | null = null) {
    super(message);
    this.status = status;
    this.reason = reason;
  }

  /**
   * Whether a retry may succeed: an unreachable or overloaded server, a token being renewed, a quota changed
   * by a concurrent request.
   */
  get isTemporary(): boolean {
    return (
      this.status === null ||
      [401, 408, 429].includes(this.status) ||
      this.status >= 500 ||
      (this.reason === 'Conflict' && this.message.includes('the object has been modified'))
    );
  }

  /** The object exists already; other conflicts have the same status. */
  get saysAlreadyThere(): boolean {
    return this.reason === 'AlreadyExists';
  }

  /**
   * The worker lacks this right; an API server that has just started says so of every right,
   * until it has loaded them.
   */
  get isLackOfRight(): boolean {
    return this.status === 403 && /is forbidden: User ".*" cannot /.test(this.message);
  }
}

const requestTimeoutMs = 10_000;
const answeredStatus = z.object({ message: z.string(), reason: z.string().nullable().catch(null) });

export function createRequests(config: KubeConfig): Requests {
  const server = config.getCurrentCluster()?.server;
  if (server === undefined) {
    throw new Error('KUBECONFIG: its current context names no cluster');
  }
  // The library would open a connection, with a TLS handshake, for each request.
  const agent = new Agent({ keepAlive: true });
  const proxied = (config.getCurrentCluster()?.proxyUrl ?? '') !== '';
  const send = async (asked: ClusterRequest): Promise<IncomingMessage> => {
    const options: RequestOptions = { method: asked.method };
    await config.applyToHTTPSOptions(options);
    if (!proxied) {
      options.agent = agent;
    }
    return sendOne(urlOf(server, asked), options, asked);
  };
  return {
    json: (asked) =>
      withinLimit(requestTimeoutMs, asked.signal, async (signal) => {
        const response = await send({ ...asked, signal });
        const answer = await text(response).catch((error: unknown) => {
          throw new ClusterError(null, messageOf(error));
        });
        return parse(refuseFailure(response, answer));
      }),
    async stream(asked) {
      const response = await send(asked);
      if (response.statusCode !== 200) {
        refuseFailure(response, await text(response));
      }
      // Does not keep the process alive.
      response.socket.unref();
      return response;
    },
    close: () => agent.destroy(),
  };
}

function urlOf(server: string, { path, query = {} }: ClusterRequest): URL {
  const url = new URL(`${server.replace(/\/$/, '')}${path}`);
  url.search = new URLSearchParams(query).toString();
  return url;
}

function sendOne(
  url: URL,
  options: RequestOptions,
  { body, contentType = 'application/json', signal }: ClusterRequest,
): Promise<IncomingMessage> {
  const payload = body === undefined ? null : JSON.stringify(body);
  return new Promise((resolve, reject) => {
    const sending = request(
      url,
      {
        ...options,
        ...(signal === undefined ? {} : { signal }),
        headers: {
          ...options.headers,
          accept: 'application/json',
          ...(payload === null
            ? {}
            : { 'content-type': contentType, 'content-length': Buffer.byteLength(payload) }),
        },
      },
      resolve,
    );
    sending.on('error', (error) => reject(new ClusterError(null, error.message)));
    sending.end(payload);
  });
}

/** Returns the response, or throws a ClusterError with the cluster's message. */
function refuseFailure({ statusCode = 0 }: IncomingMessage, answer: string): string {
  if (statusCode >= 200 && statusCode < 300) {
    return answer;
  }
  const { message, reason } = answeredStatus.safeParse(parse(answer)).data ?? {};
  throw new ClusterError(statusCode, message ?? `the API server answered ${statusCode}`, reason);
}

function parse(answer: string): unknown {
  try {
    return JSON.parse(answer);
  } catch {
    return null;
  }
}

const messageOf = (error: unknown) => (error instanceof Error ? error.message : 'the connection ended');
