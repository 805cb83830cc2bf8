import { chmod } from 'node:fs/promises';
import {
  createServer,
  type IncomingMessage,
  type Server,
  type ServerOptions,
  type ServerResponse,
} from 'node:http';
import { answerInOrder } from '../../lib/timing/answer-in-order.ts';
import { listenAt } from '../../lib/timing/listen-at.ts';
import { prepareSocketPath } from '../server-link/listen.ts';
import { sendRefusal } from './answer.ts';

/**
 * An HTTP server, not listening yet, as all of a sidecar's are: requests sent ahead wait for the answers to
 * those before them, and what `handle` throws is answered.
 */
export function createHttp(
  { maxConnections, ...options }: ServerOptions & { maxConnections: number },
  handle: (request: IncomingMessage, response: ServerResponse) => Promise<void>,
): Server {
  const server = createServer(
    options,
    answerInOrder((request, response) => {
      handle(request, response).catch((error: unknown) => sendRefusal(response, error));
    }),
  );
  server.maxConnections = maxConnections;
  return server;
}

/** Listens on a Unix socket, replacing one that an earlier sidecar left. */
export async function listenOnPath(server: Server, path: string): Promise<void> {
  await prepareSocketPath(path);
  await listening(server, () => server.listen(path));
  await chmod(path, 0o660);
}

/** Listens on TCP and returns the address as a URL; port 0 takes a free one. */
export async function listenOnPort(server: Server, host: string, port: number): Promise<string> {
  await listening(server, () => listenAt(server, { host, port }));
  const address = server.address();
  if (address === null || typeof address === 'string') {
    throw new Error('the control port has no address');
  }
  return `http://${address.family === 'IPv6' ? `[${address.address}]` : address.address}:${address.port}`;
}

/** Ends every connection, streams included. */
export function closeHttp(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}

function listening(server: Server, listen: () => void): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.once('listening', () => resolve());
    listen();
  });
}
