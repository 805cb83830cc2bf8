/** The model program: HTTP on connections that it opens itself, each ahead of its use, so that nothing connects into its container. */
import { createServer, type Server } from 'node:http';
import type { Socket } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { modelSockets } from '../../contract/model-access.ts';
import type { ModelProgramConfig } from '../../contract/model-program.ts';
import type { ResolveName } from '../../lib/outbound/guarded-lookup.ts';
import { abandonAfter } from '../../lib/timing/time-limit.ts';
import { connectToSocket } from '../node/connect.ts';
import { firstByte } from '../node/first-byte.ts';
import { answerRequest } from './answer-request.ts';
import { budgetSocket } from './budget-socket.ts';
import { createEndpoint } from './endpoint.ts';
import { defaultModelLimits, type ModelLimits } from './limits.ts';
import { createTurns } from './turns.ts';

export interface ModelProgramOptions {
  config: ModelProgramConfig;
  key: string;
  /** Aborted: takes no more, and ends what is open. */
  signal: AbortSignal;
  limits?: ModelLimits;
  resolveName?: ResolveName;
}

/** After an attempt that failed, and a connection that ended unused. */
const pauseMs = 200;
/** For the outcomes of requests that were open, at the end. */
const lastReportsMs = 3000;
const maxHeaderBytes = 32 * 1024;

/** Serves until `signal` is aborted. Never throws for what an agent or the endpoint does. */
export async function serveModel(options: ModelProgramOptions): Promise<void> {
  const { config, key, signal, limits = defaultModelLimits, resolveName } = options;
  const inDirectory = (name: string) => join(config.socket_directory, name);
  const reporting = new Set<Promise<void>>();
  const dependencies = {
    endpoint: createEndpoint(config, key, limits, resolveName),
    budget: budgetSocket(inDirectory(modelSockets.budget), limits),
    turns: createTurns(limits),
    models: config.models,
    limits,
    track(each: Promise<void>) {
      reporting.add(each);
      void each.finally(() => reporting.delete(each));
    },
  };
  const http = createHttp(limits).on('request', (request, response) => {
    void answerRequest(dependencies, request, response);
  });
  await keepConnections(http, inDirectory(modelSockets.requests), limits.connections, signal);
  http.closeAllConnections();
  // Each ends with its connection, and is then counted.
  await sleep(0);
  await abandonAfter(lastReportsMs, Promise.all(reporting), () => []);
}

function createHttp({ requestMs }: ModelLimits): Server {
  const http = createServer({
    headersTimeout: requestMs,
    requestTimeout: requestMs,
    keepAliveTimeout: requestMs,
    connectionsCheckingInterval: 5000,
    maxHeaderSize: maxHeaderBytes,
    insecureHTTPParser: false,
    requireHostHeader: false,
  });
  // No tunnels, no other protocols: without a listener the first would end without a word, and the second be taken for a request.
  const refuse = (_request: unknown, socket: { end(text: string): unknown }) => {
    socket.end('HTTP/1.1 405 Method Not Allowed\r\nconnection: close\r\ncontent-length: 0\r\n\r\n');
  };
  return http.on('connect', refuse).on('upgrade', refuse);
}

/** One idle connection at a time; the first byte on it makes it one of the agent's, and opens the next. */
async function keepConnections(http: Server, path: string, most: number, signal: AbortSignal): Promise<void> {
  const open = new Set<Socket>();
  const aborted = new Promise<void>((resolve) => {
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
  while (!signal.aborted) {
    if (open.size >= most) {
      await Promise.race([aborted, ...[...open].map(closed)]);
      continue;
    }
    const idle = await connectToSocket(path, Number.POSITIVE_INFINITY, signal).catch(() => null);
    if (idle === null || !(await firstByte(idle, signal))) {
      await sleep(pauseMs, undefined, { signal }).catch(() => undefined);
      continue;
    }
    open.add(idle);
    idle.once('close', () => open.delete(idle));
    http.emit('connection', idle);
  }
}

const closed = (socket: Socket): Promise<void> =>
  new Promise((resolve) => {
    if (socket.closed) {
      resolve();
    } else {
      socket.once('close', () => resolve());
    }
  });
