/** A server that accepts connections and never sends anything. */
import { createServer, type Socket } from 'node:net';
import { chooseTestPort } from './free-port.ts';

export interface SilentServer {
  address: string;
  /** Ends its connections, and refuses others from now on. */
  hangUp(): void;
}

export async function startSilentServer(): Promise<SilentServer> {
  const port = await chooseTestPort();
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
  });
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  return {
    address: `127.0.0.1:${port}`,
    hangUp() {
      server.close();
      for (const socket of sockets) {
        socket.destroy();
      }
    },
  };
}
