/**
 * One request to the gateway of a service, and its answer, streamed both ways. Neither side's pace takes
 * memory: who reads slowly slows the other.
 */
import {
  type ClientRequest,
  type IncomingMessage,
  type RequestOptions,
  request,
  type ServerResponse,
} from 'node:http';
import type { Duplex } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { urlToHttpOptions } from 'node:url';
import { serviceRequestHeader, signServiceRequest } from '../../contract/service-signature.ts';
import { controlKey } from '../../contract/session-keys.ts';
import { hasBody } from './proxy-request-headers.ts';

/** From the end of a request until the head of its answer. */
const headLimitMs = 65_000;
/** A gateway whose machine vanished is noticed. */
const probeAfterMs = 30_000;
/**
 * More than a gateway passes on: a head that is too large is told by it, and not taken for a
 * gateway that does not answer.
 */
const maxHeadBytes = 64 * 1024;

export interface ServiceAddress {
  previewId: string;
  /** `http://<address>:<port>` of its gateway. */
  address: string;
}

/** What came first. `unreachable`: no gateway, or it closed the connection. `left`: the visitor did. */
export type FirstAnswer =
  | { type: 'answer'; answer: IncomingMessage }
  | { type: 'upgrade'; answer: IncomingMessage; socket: Duplex; head: Buffer }
  | { type: 'left' | 'late' | 'too_large' | 'unreachable' };

export interface Exchange {
  first: Promise<FirstAnswer>;
  /** Whatever is left of it. Idempotent. */
  end(): void;
}

export interface ExchangeOptions {
  seed: Buffer;
  headers: Record<string, string>;
  maxBodyBytes: number;
  isWebSocket: boolean;
  headMs?: number;
}

/**
 * Sends the visitor's request to the gateway, signed, on a connection of its own: what one answer leaves
 * behind is never the beginning of another. The visitor must be there still: of one that left before, there
 * is no event. Throws for a header that cannot be sent.
 */
export function beginExchange(
  visitor: { request: IncomingMessage; response: ServerResponse },
  { previewId, address }: ServiceAddress,
  { seed, headers, maxBodyBytes, isWebSocket, headMs = headLimitMs }: ExchangeOptions,
): Exchange {
  const { method = 'GET', url: target = '/' } = visitor.request;
  const signature = signServiceRequest(controlKey(seed, previewId), { method, target, atMs: Date.now() });
  // Without the brackets of an IPv6 address.
  const { hostname, port } = urlToHttpOptions(new URL(address));
  const options: RequestOptions = {
    ...{ hostname, port, method, path: target, agent: false, maxHeaderSize: maxHeadBytes },
    headers: { ...headers, ...bodyHeaders(visitor.request), [serviceRequestHeader]: signature },
  };
  const sent = request(options);
  sent.setSocketKeepAlive(true, probeAfterMs);
  if (hasBody(visitor.request.headers)) {
    // Not only with the first byte of the body, which may be late.
    sent.flushHeaders();
  }
  let timer: NodeJS.Timeout | undefined;
  const end = () => {
    clearTimeout(timer);
    sent.destroy();
  };
  const first = new Promise<FirstAnswer>((resolve) => {
    const settle = (answer: FirstAnswer) => {
      clearTimeout(timer);
      resolve(answer);
    };
    sent.once('response', (answer) => settle({ type: 'answer', answer }));
    if (isWebSocket) {
      sent.once('upgrade', (answer, socket, head) => settle({ type: 'upgrade', answer, socket, head }));
    }
    // An upgrade that was not asked for closes the connection, too.
    sent.on('error', () => settle({ type: 'unreachable' }));
    sent.once('close', () => settle({ type: 'unreachable' }));
    visitor.response.once('close', () => {
      end();
      settle({ type: 'left' });
    });
    sendBody(visitor.request, sent, maxBodyBytes, {
      sent: () => {
        timer = setTimeout(() => settle({ type: 'late' }), headMs);
      },
      tooLarge: () => settle({ type: 'too_large' }),
    });
  });
  return { first, end };
}

/** The parser of the visitor's request found its end by the same ones, and only one of them was there. */
function bodyHeaders({ headers }: IncomingMessage): Record<string, string> {
  if (!hasBody(headers)) {
    return {};
  }
  return headers['content-length'] === undefined
    ? { 'transfer-encoding': 'chunked' }
    : { 'content-length': headers['content-length'] };
}

interface BodyEvents {
  /** All of it was sent, or there is none. */
  sent(): void;
  tooLarge(): void;
}

/**
 * Until the service answers: then no more is sent to it, and the visitor's rest is read and dropped, so that
 * the answer is not lost to a client that sends all before it reads.
 */
function sendBody(from: IncomingMessage, sent: ClientRequest, maxBytes: number, events: BodyEvents): void {
  if (!hasBody(from.headers)) {
    sent.end();
    events.sent();
    return;
  }
  let bytes = 0;
  let isWanted = true;
  const stop = () => {
    isWanted = false;
    from.resume();
  };
  sent.once('response', stop).once('close', stop);
  from.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    if (isWanted && bytes > maxBytes) {
      isWanted = false;
      events.tooLarge();
    } else if (isWanted && !sent.write(chunk)) {
      from.pause();
      sent.once('drain', () => from.resume());
    }
  });
  from.once('end', () => {
    if (isWanted) {
      sent.end();
      events.sent();
    }
  });
}

/**
 * Resolves when all of the answer has been sent, or one side left: then the other is closed as well, so that
 * nobody takes a part for the whole.
 */
export async function passAnswer(answer: IncomingMessage, response: ServerResponse): Promise<void> {
  response.flushHeaders();
  await pipeline(answer, response).catch(() => undefined);
}

/** When one side has closed its half of a WebSocket, the other has this long to close its own. */
const halfOpenMs = 10_000;

/** Copies both ways until one side closes. */
export async function joinSockets(
  visitor: { socket: Duplex; head: Buffer },
  service: { socket: Duplex; head: Buffer },
): Promise<void> {
  const sides = [visitor.socket, service.socket];
  const closed = Promise.all(
    sides.map((socket) => new Promise<void>((resolve) => socket.once('close', () => resolve()))),
  );
  const destroy = () => {
    for (const socket of sides) {
      socket.destroy();
    }
  };
  let timer: NodeJS.Timeout | undefined;
  for (const { socket, head } of [visitor, service]) {
    socket.unshift(head);
    socket.on('error', destroy).once('close', destroy);
    socket.once('end', () => {
      timer ??= setTimeout(destroy, halfOpenMs);
    });
  }
  visitor.socket.pipe(service.socket);
  service.socket.pipe(visitor.socket);
  await closed;
  clearTimeout(timer);
}
