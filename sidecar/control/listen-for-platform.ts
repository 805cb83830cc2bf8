import type { Server } from 'node:http';
import { networkInterfaces } from 'node:os';
import { listenOnPort } from '../http/listen-http.ts';

const everyAddress = '0.0.0.0';

/**
 * Listens for the platform and returns the URL to report to it. On every address of a network that only the session
 * uses (a Pod, a container), connections from inside the session are reset: servers and agents have no business here.
 */
export async function listenForPlatform(server: Server, host: string, port: number): Promise<string> {
  if (host !== everyAddress) {
    return listenOnPort(server, host, port);
  }
  const own = ownAddress();
  server.on('connection', (socket) => {
    if (isOfThisNetwork(socket.remoteAddress)) {
      // A plain close would leave some clients waiting.
      socket.resetAndDestroy();
    }
  });
  const { port: taken } = new URL(await listenOnPort(server, host, port));
  return `http://${own}:${taken}`;
}

const addresses = () => Object.values(networkInterfaces()).flatMap((list) => list ?? []);

function ownAddress(): string {
  const found = addresses().find(({ family, internal }) => family === 'IPv4' && !internal);
  if (found === undefined) {
    throw new Error('there is no IPv4 address that the platform could reach');
  }
  return found.address;
}

/** Looked up for each connection: addresses may be added later. An unknown address counts as inside. */
function isOfThisNetwork(remote: string | undefined): boolean {
  const address = remote?.replace(/^::ffff:/, '');
  return (
    address === undefined ||
    address.startsWith('127.') ||
    address === '::1' ||
    addresses().some((own) => own.address === address)
  );
}
