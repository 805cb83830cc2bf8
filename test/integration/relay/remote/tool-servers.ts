/** Real MCP servers with tools, built with both lines of the official SDK, over Streamable HTTP. */
import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createTlsServer, type ServerOptions } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { InMemoryEventStore } from '@modelcontextprotocol/sdk/examples/shared/inMemoryEventStore.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { createMcpHandler, type McpHttpHandler } from '@modelcontextprotocol/server';
import { earlierServer, modernServer, type ToolEvents } from './tools.ts';

export interface ToolServer {
  host: string;
  url: string;
  /** Method and headers of each request, in their order. */
  requests: { method: string; headers: IncomingMessage['headers'] }[];
  events: ToolEvents;
  /** Sessions that were opened and not ended. */
  openSessions(): number;
  /** Forgets all sessions, as a restart does. */
  forgetSessions(): void;
  /** Breaks every connection. */
  cut(): void;
  close(): Promise<void>;
}

export interface ToolServerOptions {
  /** Answers as JSON in the place of streams. */
  json?: boolean;
  /** Streams cannot be continued. */
  forgetsEvents?: boolean;
  tls?: ServerOptions;
  /** Answers a request itself, and returns true, before the server sees it. */
  before?(request: IncomingMessage, response: ServerResponse): boolean;
}

type Listener = (request: IncomingMessage, response: ServerResponse) => Promise<void>;
type Sessions = Map<string, StreamableHTTPServerTransport>;

/** Of the line of 2025, with a session for each client. */
export function startEarlierToolServer(options: ToolServerOptions = {}): Promise<ToolServer> {
  const sessions: Sessions = new Map();
  const events = newEvents();
  const eventStore = options.forgetsEvents ? {} : { eventStore: new InMemoryEventStore() };
  return listen(options, events, sessions, async (request, response) => {
    const id = request.headers['mcp-session-id'];
    const known = sessions.get(String(id));
    if (known !== undefined) {
      return known.handleRequest(request, response);
    }
    if (id !== undefined) {
      response.writeHead(404, { 'content-type': 'application/json' });
      response.end('{"jsonrpc":"2.0","error":{"code":-32001,"message":"Session not found"},"id":null}');
      return;
    }
    const transport: StreamableHTTPServerTransport = new StreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      enableJsonResponse: options.json ?? false,
      ...eventStore,
      retryInterval: 10,
      onsessioninitialized: (session) => {
        sessions.set(session, transport);
      },
      onsessionclosed: (session) => {
        sessions.delete(session);
      },
    });
    await earlierServer(events).connect(transport);
    await transport.handleRequest(request, response);
  });
}

/** Of the line that speaks 2026-07-28, and nothing else unless `legacy` says so. */
export async function startModernToolServer(
  options: ToolServerOptions & { legacy?: 'stateless' } = {},
): Promise<ToolServer & { handler: McpHttpHandler }> {
  const events = newEvents();
  const handler = createMcpHandler(() => modernServer(events), { legacy: options.legacy ?? 'reject' });
  const server = await listen(options, events, new Map(), async (request, response) => {
    const gone = new AbortController();
    response.once('close', () => gone.abort());
    const body = request.method === 'POST' ? { body: new Uint8Array(await buffer(request)) } : {};
    const asked = new Request(`http://${request.headers.host}${request.url}`, {
      method: request.method ?? 'GET',
      headers: Object.entries(request.headers).map(([name, value]): [string, string] => [
        name,
        String(value),
      ]),
      signal: gone.signal,
      ...body,
    });
    const answer = await handler.fetch(asked);
    response.writeHead(answer.status, Object.fromEntries(answer.headers));
    await (answer.body === null ? response.end() : pipeline(Readable.fromWeb(answer.body), response));
  });
  return { ...server, handler };
}

const newEvents = (): ToolEvents => ({ calls: [], cancelled: 0, release: [] });

async function listen(
  { tls, before = () => false }: ToolServerOptions,
  events: ToolEvents,
  sessions: Sessions,
  serve: Listener,
): Promise<ToolServer> {
  const requests: ToolServer['requests'] = [];
  const sockets = new Set<Socket>();
  const listener = (request: IncomingMessage, response: ServerResponse) => {
    requests.push({ method: request.method ?? '', headers: request.headers });
    if (!before(request, response)) {
      serve(request, response).catch(() => response.destroy());
    }
  };
  const server = tls === undefined ? createServer(listener) : createTlsServer(tls, listener);
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  const cut = () => {
    for (const socket of sockets) {
      socket.destroy();
    }
  };
  return {
    host,
    url: `${tls === undefined ? 'http' : 'https'}://${host}/mcp`,
    requests,
    events,
    openSessions: () => sessions.size,
    forgetSessions: () => sessions.clear(),
    cut,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        cut();
      }),
  };
}
