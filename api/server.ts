/** Startup and shutdown (the application itself is `app.ts`). */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type Koa from 'koa';

export interface RunningServer {
  port: number;
  server: Server;
  /** Stops accepting requests, lets running ones finish for at most `limitMs`, then closes what is left (streams). */
  close(limitMs: number): Promise<void>;
}

/** Resolves when the application listens. Rejects with the system's error, such as EADDRINUSE. */
export async function listen(app: Koa, at: { host: string; port: number }): Promise<RunningServer> {
  const server = createServer(app.callback());
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(at.port, at.host, resolve);
  });
  return {
    port: (server.address() as AddressInfo).port,
    server,
    close: (limitMs) => close(server, limitMs),
  };
}

async function close(server: Server, limitMs: number): Promise<void> {
  const cut = setTimeout(() => server.closeAllConnections(), limitMs);
  await new Promise<void>((resolve) => {
    server.close(() => resolve());
    server.closeIdleConnections();
  });
  clearTimeout(cut);
}
