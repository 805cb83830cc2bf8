import type { Server } from 'node:net';

/**
 * Every address of this machine, of both families: the one to listen on where only some have IPv4, or IPv6.
 */
export const everyAddress = '::';

/** Listens on a port of an address. `everyAddress` is every IPv4 address where the machine has no IPv6. */
export function listenAt(
  server: Server,
  { host, port }: { host: string; port: number },
  onListening?: () => void,
): void {
  if (host === everyAddress) {
    // Without a host Node takes `::`, and `0.0.0.0` where that cannot be had.
    server.listen(port, onListening);
  } else {
    server.listen(port, host, onListening);
  }
}
