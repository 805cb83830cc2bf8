/**
 * A port of the command's own loopback that leads to a socket of the sidecar, for
 * programs that know TCP alone.
 */
import { createConnection, createServer, type Server } from 'node:net';
import { joinConnections, joinLimits } from '../../lib/timing/join-connections.ts';

export interface Listen {
  port: number;
  socketPath: string;
}

const mostConnections = 64;

/**
 * Each connection becomes one to the socket, and ends at once when nobody listens there.
 * Throws when the port is taken.
 */
export async function listenOnPort({ port, socketPath }: Listen): Promise<Server> {
  const server = createServer({ allowHalfOpen: true, pauseOnConnect: true, noDelay: true }, (asking) => {
    joinConnections(asking, createConnection({ path: socketPath, allowHalfOpen: true }), joinLimits);
  });
  server.maxConnections = mostConnections;
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error) => {
      const why = 'code' in error ? String(error.code) : 'unknown error';
      reject(new Error(`cannot listen on port ${port}: ${why}`, { cause: error }));
    });
    server.listen(port, '127.0.0.1', resolve);
  });
  return server;
}
