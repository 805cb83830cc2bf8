/**
 * Streamable HTTP in front of something that speaks line-based MCP, since the official scenarios only speak
 * HTTP. It decides nothing: what a client posts becomes a line, and each line that comes back goes to the
 * stream that waits for it. The 2025 revision has a connection for each session, the 2026 revision, which has
 * no sessions, one for all.
 */
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createInterface } from 'node:readline';
import type { Duplex } from 'node:stream';
import * as z from 'zod';

export interface HttpFront {
  url: string;
  close(): Promise<void>;
}

const json = { 'content-type': 'application/json' };
const versionKey = 'io.modelcontextprotocol/protocolVersion';
const capabilitiesKey = 'io.modelcontextprotocol/clientCapabilities';

const id = z.union([z.string(), z.number()]);
const meta = z.looseObject({
  progressToken: id.optional(),
  [versionKey]: z.string().optional(),
  'io.modelcontextprotocol/subscriptionId': id.optional(),
});
const message = z.looseObject({
  id: id.optional(),
  method: z.string().optional(),
  params: z
    .looseObject({ _meta: meta.optional().catch(undefined), progressToken: id.optional() })
    .optional()
    .catch(undefined),
  error: z.looseObject({ code: z.number() }).optional(),
});
type RpcMessage = z.infer<typeof message>;

const sessionHeader = 'mcp-session-id';
/** Abandoned sessions are closed when there are this many. */
const maxSessions = 3;
const statusOfError: Record<number, number> = { [-32601]: 404, [-32602]: 400 };

/** `open`: a fresh connection to the backend. Listens on a port of its own. */
export async function startHttpFront(open: () => Promise<Duplex>): Promise<HttpFront> {
  const sessions = new Map<string, Connection>();
  let stateless: Connection | null = null;
  const server = createServer((request, response) => {
    answer(request, response).catch(() => response.destroy());
  });

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const sessionId = String(request.headers[sessionHeader] ?? '');
    if (!isLocal(request.headers.host) || !isLocal(request.headers.origin?.replace(/^https?:\/\//, ''))) {
      response.writeHead(403).end();
    } else if (request.method === 'POST') {
      const text = Buffer.concat(await request.toArray()).toString();
      const asked = message.parse(JSON.parse(text));
      const problem = sessionId === '' ? statelessProblem(asked, request) : null;
      if (problem === null) {
        const connection = await connectionFor(asked, sessionId, response);
        connection?.post(asked, text, response);
      } else {
        const error = { code: problem, message: 'Not a request of either revision' };
        response.writeHead(400, json).end(JSON.stringify({ jsonrpc: '2.0', id: asked.id, error }));
      }
    } else if (request.method === 'GET' && sessions.has(sessionId)) {
      sessions.get(sessionId)?.listen(response);
    } else if (request.method === 'DELETE' && sessions.has(sessionId)) {
      sessions.get(sessionId)?.close();
      sessions.delete(sessionId);
      response.writeHead(200).end();
    } else {
      response.writeHead(sessionId === '' ? 405 : 404).end();
    }
  }

  async function connectionFor(
    asked: RpcMessage,
    sessionId: string,
    response: ServerResponse,
  ): Promise<Connection | null> {
    const isModern = asked.params?._meta?.[versionKey] !== undefined;
    if (sessionId !== '') {
      const session = sessions.get(sessionId) ?? null;
      if (session === null) {
        response.writeHead(404).end();
      }
      return session;
    }
    if (asked.method !== 'initialize' || isModern) {
      stateless ??= new Connection(await open(), true);
      return stateless;
    }
    for (const [oldest, session] of [...sessions].slice(0, -maxSessions + 1)) {
      session.close();
      sessions.delete(oldest);
    }
    const session = new Connection(await open(), false);
    const made = randomUUID();
    sessions.set(made, session);
    response.setHeader(sessionHeader, made);
    return session;
  }

  await once(server.listen(0, '127.0.0.1'), 'listening');
  return {
    url: `http://localhost:${portOf(server)}/mcp`,
    async close() {
      for (const connection of [...sessions.values(), ...(stateless ? [stateless] : [])]) {
        connection.close();
      }
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** One connection of lines, and the HTTP answers that wait for something on it. */
class Connection {
  readonly #lines: Duplex;
  readonly #isModern: boolean;
  /** By request id, the most recent last. */
  readonly #waiting = new Map<string | number, { response: ServerResponse; progressToken: unknown }>();
  #listener: ServerResponse | null = null;

  constructor(lines: Duplex, isModern: boolean) {
    this.#lines = lines;
    this.#isModern = isModern;
    const reader = createInterface({ input: lines }).on('line', (line) => this.#fromServer(line));
    for (const source of [reader, lines]) {
      // The scenarios' missing answers show that the other side closed.
      source.on('error', () => undefined);
    }
  }

  post(asked: RpcMessage, text: string, response: ServerResponse): void {
    const { id, method, params } = asked;
    if (id === undefined || method === undefined) {
      response.writeHead(202).end();
    } else {
      this.#waiting.set(id, { response, progressToken: params?._meta?.progressToken });
      response.once('close', () => this.#leave(id, response));
    }
    // One line, whatever whitespace the client sent.
    this.#lines.write(`${JSON.stringify(JSON.parse(text))}\n`);
  }

  listen(response: ServerResponse): void {
    beginStream(response);
    this.#listener = response;
  }

  close(): void {
    this.#lines.destroy();
    for (const { response } of this.#waiting.values()) {
      response.destroy();
    }
    this.#listener?.end();
  }

  #fromServer(line: string): void {
    const said = message.parse(JSON.parse(line));
    const waiting = said.id === undefined || said.method !== undefined ? null : this.#waiting.get(said.id);
    if (waiting && said.id !== undefined) {
      this.#waiting.delete(said.id);
      this.#finish(waiting.response, said, line);
    } else {
      const stream = this.#streamFor(said);
      if (stream) {
        beginStream(stream);
        stream.write(`event: message\ndata: ${line}\n\n`);
      }
    }
  }

  #finish(response: ServerResponse, said: RpcMessage, line: string): void {
    if (response.headersSent) {
      response.end(`event: message\ndata: ${line}\n\n`);
      return;
    }
    const code = this.#isModern ? said.error?.code : undefined;
    const status = code === undefined ? 200 : (statusOfError[code] ?? (code < -32_000 ? 400 : 200));
    response.writeHead(status, json).end(line);
  }

  /** Lines do not name their request, except for progress and subscriptions: takes the most recent one. */
  #streamFor({ params }: RpcMessage): ServerResponse | null {
    const subscription = params?._meta?.['io.modelcontextprotocol/subscriptionId'];
    const token = params?.progressToken;
    const waiting = [...this.#waiting.values()];
    const stream =
      subscription !== undefined
        ? this.#waiting.get(subscription)
        : token !== undefined
          ? waiting.find(({ progressToken }) => progressToken === token)
          : waiting.at(-1);
    return stream?.response ?? this.#listener;
  }

  /** Cancels the request of a client that disconnected. */
  #leave(requestId: string | number, response: ServerResponse): void {
    if (this.#waiting.get(requestId)?.response === response) {
      this.#waiting.delete(requestId);
      const params = { requestId };
      const cancelled = { jsonrpc: '2.0', method: 'notifications/cancelled', params };
      this.#lines.write(`${JSON.stringify(cancelled)}\n`);
    }
  }
}

/**
 * What HTTP requires of a request without a session, beyond lines, which without it would
 * speak the older revision.
 */
function statelessProblem({ method, params }: RpcMessage, { headers }: IncomingMessage): number | null {
  const version = params?._meta?.[versionKey];
  if (version === undefined || params?._meta?.[capabilitiesKey] === undefined) {
    return method === 'initialize' && version === undefined ? null : -32602;
  }
  return headers['mcp-protocol-version'] === version ? null : -32020;
}

function beginStream(response: ServerResponse): void {
  if (!response.headersSent) {
    response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' });
    response.flushHeaders();
  }
}

/** A page that uses DNS rebinding sends its own name. */
function isLocal(host: string | undefined): boolean {
  return host === undefined || /^(localhost|127\.0\.0\.1|\[::1\])(:\d+)?$/.test(host);
}

function portOf(server: Server): number {
  const address = server.address() as AddressInfo | null;
  return address?.port ?? 0;
}
