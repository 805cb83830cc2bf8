/** Unix sockets that the sidecar owns (design 8): it alone makes them, every other container sees them read-only. */
import { chmod, mkdir, rm } from 'node:fs/promises';
import { createServer, type Server, type Socket } from 'node:net';
import { dirname } from 'node:path';
import { assertSocketPath } from '../socket-path.ts';

/**
 * Listens on `path`, in place of a socket that an earlier sidecar left there. Connections stay half open when one side ends,
 * so that answers on their way still arrive. Throws when the path is too long or cannot be made.
 */
export async function listenOnSocket(path: string, onConnection: (socket: Socket) => void): Promise<Server> {
  await prepareSocketPath(path);
  const server = createServer({ allowHalfOpen: true, pauseOnConnect: true }, (socket) => {
    // A broken connection shows as its `close`; the error itself adds nothing.
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

/** Makes the socket's directory and removes what an earlier sidecar left at the path. */
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
