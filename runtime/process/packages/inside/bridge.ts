/**
 * Bridges a port for package managers to the Unix socket of the one way out. The
 * sandbox has no other network.
 */
import { once } from 'node:events';
import { connect, createServer } from 'node:net';

/** Resolves when it listens on a port of loopback. */
export async function openBridge(port: number, socketPath: string): Promise<void> {
  const server = createServer({ allowHalfOpen: true }, (client) => {
    const proxy = connect({ path: socketPath, allowHalfOpen: true });
    client.pipe(proxy).pipe(client);
    client.on('error', () => proxy.destroy());
    proxy.on('error', () => client.destroy());
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
}
