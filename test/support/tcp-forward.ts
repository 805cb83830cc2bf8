/** Carries TCP connections from one address to others, as the load balancer in front of a platform does. */
import { connect, createServer, type Socket } from 'node:net';

export interface Target {
  host: string;
  port: number;
}

export interface Forward {
  port: number;
  close(): Promise<void>;
}

/**
 * `choose` names the target of each connection; where it throws, or nothing listens
 * there, the connection is cut.
 */
export async function forward(
  listen: { host: string; port?: number },
  choose: () => Target | Promise<Target>,
): Promise<Forward> {
  const open = new Set<Socket>();
  const keep = (socket: Socket) => {
    open.add(socket);
    socket.once('close', () => open.delete(socket));
  };
  const server = createServer((incoming) => {
    keep(incoming);
    incoming.on('error', () => undefined);
    void carry(incoming, choose, keep);
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(listen.port ?? 0, listen.host, resolve);
  });
  const address = server.address();
  return {
    port: typeof address === 'object' && address !== null ? address.port : 0,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of open) {
          socket.destroy();
        }
      }),
  };
}

async function carry(
  incoming: Socket,
  choose: () => Target | Promise<Target>,
  keep: (socket: Socket) => void,
): Promise<void> {
  try {
    const outgoing = connect(await choose());
    keep(outgoing);
    outgoing.on('error', () => incoming.destroy());
    outgoing.once('close', () => incoming.destroy());
    incoming.once('close', () => outgoing.destroy());
    incoming.pipe(outgoing).pipe(incoming);
  } catch {
    incoming.destroy();
  }
}
