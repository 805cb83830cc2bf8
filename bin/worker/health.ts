/**
 * Tells a supervisor (an orchestrator's probe, a compose health check) whether this worker is
 * healthy, and nothing else.
 */

import { once } from 'node:events';
import { createServer } from 'node:http';
import { listenAt } from '../../lib/timing/listen-at.ts';

export interface WorkerHealth {
  host: string;
  port: number;
  /** Whether the worker accepts work: it polls Temporal and reaches its database. */
  isReady(): Promise<boolean>;
}

export interface HealthServer {
  port: number;
  close(): Promise<void>;
}

/** `GET /alive` answers 200 while the event loop runs; `GET /ready` 200 or 503. Everything else is 404. */
export async function serveHealth({ host, port, isReady }: WorkerHealth): Promise<HealthServer> {
  const server = createServer((request, response) => {
    void statusOf(request.url ?? '', isReady).then((status) => {
      response.writeHead(status, { 'content-type': 'application/json', connection: 'close' });
      response.end(JSON.stringify({ status: status === 200 ? 'ok' : 'unavailable' }));
    });
  });
  listenAt(server, { host, port });
  await once(server, 'listening');
  const address = server.address();
  return {
    port: typeof address === 'object' && address !== null ? address.port : port,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}

async function statusOf(path: string, isReady: () => Promise<boolean>): Promise<number> {
  if (path === '/alive') {
    return 200;
  }
  if (path !== '/ready') {
    return 404;
  }
  return (await isReady().catch(() => false)) ? 200 : 503;
}
