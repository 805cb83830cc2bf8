import type { Server } from 'node:http';
import { networkInterfaces } from 'node:os';
import { everyAddress } from '../../lib/timing/listen-at.ts';
import { listenOnPort } from '../http/listen-http.ts';

/** What a boot file says; the listener takes IPv6, too. */
const wholeNetwork = '0.0.0.0';

/**
 * Listens for the platform and returns the URL to report to it. On every address of a network that only
 * the session uses (a Pod, a container), connections from inside the session are reset: servers and
 * agents have no business here.
 */
export async function listenForPlatform(server: Server, host: string, port: number): Promise<string> {
  if (host !== wholeNetwork) {
    return listenOnPort(server, host, port);
  }
  const own = ownAddress();
  server.on('connection', (socket) => {
    if (isOfThisNetwork(socket.remoteAddress)) {
      // A plain close would leave some clients waiting.
      socket.resetAndDestroy();
    }
  });
  const { port: taken } = new URL(await listenOnPort(server, everyAddress, port));
  return `http://${own}:${taken}`;
}

const addresses = () => Object.values(networkInterfaces()).flatMap((list) => list ?? []);

/** As a URL has it. IPv4 where there is some: drivers choose in the same order. */
function ownAddress(): string {
  const outside = addresses().filter(({ internal }) => !internal);
  const ipv4 = outside.find(({ family }) => family === 'IPv4');
  const ipv6 = outside.find(({ family, scopeid }) => family === 'IPv6' && scopeid === 0);
  const found = ipv4?.address ?? (ipv6 === undefined ? undefined : `[${ipv6.address}]`);
  if (found === undefined) {
    throw new Error('there is no address that the platform could reach');
  }
  return found;
}

/** Looked up for each connection: addresses may be added later. An unknown address counts as inside. */
function isOfThisNetwork(remote: string | undefined): boolean {
  // The second is the interface of an address that counts on one network alone.
  const address = remote?.replace(/^::ffff:/, '').replace(/%.*$/, '');
  return (
    address === undefined ||
    address.startsWith('127.') ||
    address === '::1' ||
    addresses().some((own) => own.address === address)
  );
}
