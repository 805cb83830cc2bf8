/**
 * Requests to upgrade a connection, as requests of the application: the same checks, limits and log as for
 * all others. With a listener for `upgrade`, Node 20 hands over every request that offers one, whatever it
 * offers; clients of HTTP/2 offer `h2c` with ordinary requests, and count on an ordinary answer. So the
 * server's own class of requests says which are upgrades: the others are parsed, answered and followed by
 * further requests as if there were no listener.
 */
import { IncomingMessage, type Server, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';

/** Which requests to upgrade to a WebSocket are taken. Called when the head is read. */
export type TakesUpgrade = (request: IncomingMessage) => boolean;

export interface Upgrade {
  socket: Duplex;
  /** What the client sent behind the request. */
  head: Buffer;
}

const upgrades = new WeakMap<IncomingMessage, Upgrade>();

/**
 * Of a request that asks for one and may have it; null for every other. Whoever takes it answers
 * 101 and uses the socket.
 */
export const upgradeOf = (request: IncomingMessage): Upgrade | null => upgrades.get(request) ?? null;

/**
 * What the parser found; kept beside the request, since Node assigns it before a field
 * of a class would be there.
 */
const offered = new WeakMap<IncomingMessage, unknown>();

/**
 * For `createServer`: Node asks `upgrade` of a request when its head is read, and whether to hand it over.
 */
export function requestClass(takes: TakesUpgrade): typeof IncomingMessage {
  return class extends IncomingMessage {
    get upgrade(): boolean {
      return offered.get(this) === true && (this.method === 'CONNECT' || isTaken(this, takes));
    }

    set upgrade(found: unknown) {
      offered.set(this, found);
    }
  };
}

/**
 * The handshake of a WebSocket has no body: what followed it would be taken for a part of the conversation.
 */
const isTaken = (request: IncomingMessage, takes: TakesUpgrade) =>
  request.method === 'GET' &&
  request.headers.upgrade?.toLowerCase() === 'websocket' &&
  request.headers['transfer-encoding'] === undefined &&
  Number(request.headers['content-length'] ?? 0) === 0 &&
  takes(request);

/** Whoever was refused has this long to read why. */
const refusedMs = 10_000;

/**
 * Passes upgrades on to `handle` as requests; a connection whose request was answered without one is closed.
 * Returns what ends all that are open: the server itself does not know them any more.
 */
export function serveUpgrades(
  server: Server,
  handle: (request: IncomingMessage, response: ServerResponse) => unknown,
): () => void {
  const open = new Set<Duplex>();
  server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    open.add(socket);
    socket.once('close', () => open.delete(socket));
    // Of a peer that left; the close follows.
    socket.on('error', () => undefined);
    const response = new ServerResponse(request);
    response.shouldKeepAlive = false;
    // The server does so for its own; without it an answer that does not fit at once would wait for ever.
    socket.on('drain', () => response.emit('drain'));
    response.once('finish', () => {
      if (response.statusCode !== 101) {
        setTimeout(() => socket.destroy(), refusedMs).unref();
        socket.end();
      }
    });
    upgrades.set(request, { socket, head });
    try {
      response.assignSocket(request.socket);
    } catch {
      // Sent behind a request that is still being answered, which no browser does.
      socket.destroy();
      return;
    }
    handle(request, response);
  });
  return () => {
    for (const socket of open) {
      socket.destroy();
    }
  };
}
