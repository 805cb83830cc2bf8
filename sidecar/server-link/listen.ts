/** Unix sockets that the sidecar owns: only it creates them, every other container sees them read-only. */
import { chmod, mkdir, rm } from 'node:fs/promises';
import { createServer, type Server, type ServerOpts, type Socket } from 'node:net';
import { dirname } from 'node:path';
import { assertSocketPath } from '../../contract/socket-path.ts';

/**
 * One chunk waits to be read and one to be written: a byte that waits as a chunk of its own
 * takes the memory of hundreds.
 */
export const oneChunk: Pick<ServerOpts, 'highWaterMark'> = { highWaterMark: 1 };

/**
 * Listens on `path`, replacing a socket that an earlier sidecar left there. Connections stay half
 * open when one side ends, so that answers in flight still arrive. Throws when the path is too
 * long or cannot be created.
 */
export async function listenOnSocket(
  path: string,
  onConnection: (socket: Socket) => void,
  options: typeof oneChunk | null = null,
): Promise<Server> {
  await prepareSocketPath(path);
  const server = createServer({ ...options, allowHalfOpen: true, pauseOnConnect: true }, (socket) => {
    // `close` follows every connection error; the error itself adds nothing.
    socket.on('error', () => undefined);
    onConnection(socket);
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(path, resolve);
  });
  await chmod(path, 0o660);
  return server;
}

/** Creates the socket's directory and removes a stale socket of an earlier sidecar. */
export async function prepareSocketPath(path: string): Promise<void> {
  assertSocketPath(path);
  await mkdir(dirname(path), { recursive: true, mode: 0o750 });
  await rm(path, { force: true });
}

export function closeServer(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
  });
}
