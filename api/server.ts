/** Startup and shutdown (the application itself is `app.ts`). */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type Koa from 'koa';
import { answerInOrder } from '../lib/timing/answer-in-order.ts';
import { listenAt } from '../lib/timing/listen-at.ts';
import { requestClass, serveUpgrades, type TakesUpgrade } from './upgrades.ts';

/**
 * From the first byte of a request until its head is complete, and until all of it is. Routes have
 * tighter limits of their own.
 */
const headTimeoutMs = 60_000;
const requestTimeoutMs = 300_000;
/**
 * A client that takes nothing of what was sent to it for so long is disconnected: what waits for
 * it would be kept for ever.
 */
const unreadMs = 30_000;
/** A client that vanished while it read a stream is noticed. */
const probeAfterMs = 30_000;

export interface RunningServer {
  port: number;
  server: Server;
  /**
   * Stops accepting requests, lets running ones finish for at most `limitMs`, then closes what is left
   * (streams, upgraded connections).
   */
  close(limitMs: number): Promise<void>;
}

/**
 * Resolves when the application listens. Rejects with the system's error, such as EADDRINUSE. Upgrades that
 * are not taken are answered as if none had been offered; those that are reach the application (`upgradeOf`).
 */
export async function listen(
  app: Koa,
  at: { host: string; port: number; unreadMs?: number },
  takesUpgrade: TakesUpgrade = () => false,
): Promise<RunningServer> {
  const handle = app.callback();
  const server = createServer(
    {
      IncomingMessage: requestClass(takesUpgrade),
      headersTimeout: headTimeoutMs,
      requestTimeout: requestTimeoutMs,
      ...{ keepAlive: true, keepAliveInitialDelay: probeAfterMs },
    },
    answerInOrder(handle),
  );
  endUnread(server, at.unreadMs ?? unreadMs);
  const endUpgraded = serveUpgrades(server, handle);
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    listenAt(server, at, resolve);
  });
  return {
    port: (server.address() as AddressInfo).port,
    server,
    close: (limitMs) => close(server, endUpgraded, limitMs),
  };
}

/** Node calls a connection idle when nothing arrived on it and nothing of what was written left it. */
function endUnread(server: Server, limitMs: number): void {
  const latest = new WeakMap<Socket, ServerResponse>();
  server.prependListener('request', ({ socket }: IncomingMessage, response: ServerResponse) => {
    latest.set(socket, response);
  });
  server.setTimeout(limitMs, (socket) => {
    const isBeingMade = latest.get(socket)?.closed === false && socket.writableLength === 0;
    if (!isBeingMade) {
      socket.destroy();
    }
  });
  server.on('upgrade', (_request: IncomingMessage, socket: Socket) => {
    socket.setTimeout(limitMs);
    socket.on('timeout', () => {
      if (socket.writableLength > 0) {
        socket.destroy();
      }
    });
  });
}

async function close(server: Server, endUpgraded: () => void, limitMs: number): Promise<void> {
  const cut = setTimeout(() => {
    server.closeAllConnections();
    endUpgraded();
  }, limitMs);
  await new Promise<void>((resolve) => {
    server.close(() => resolve());
    server.closeIdleConnections();
  });
  clearTimeout(cut);
}
