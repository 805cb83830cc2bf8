/**
 * A malicious server at a URL: its tool `run` answers as the named attack does. It keeps what it was sent,
 * and so does a listener beside it.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import type { Message } from './inside/kit.ts';

export interface FarMouth {
  /** The id of the call as the bridge sent it. */
  id: unknown;
  response: ServerResponse;
  /** Every message that the server was sent, responses to its own requests too. */
  heard: readonly Message[];
  /** A listener that no entry names. */
  elsewhere: string;
  /** What the bridge sent as its credential. */
  key: string;
  /** Answers with JSON; messages of MCP. */
  json(value: unknown, status?: number, headers?: Record<string, string>): void;
  /** Answers with a stream, which stays open for more. */
  stream(...messages: object[]): void;
  result(value: unknown): object;
}

export type FarAttacks = Readonly<Record<string, (mouth: FarMouth) => unknown>>;

export interface FarServer {
  /** `host:port`. */
  host: string;
  port: number;
  url: string;
  /** What it was sent: the line and the headers. */
  received: { line: string; headers: IncomingMessage['headers'] }[];
  /** A listener that no entry names, and how often it was connected to. */
  elsewhere: { host: string; port: number; connections(): number };
  close(): Promise<void>;
}

export async function startFarServer(attacks: FarAttacks): Promise<FarServer> {
  const received: FarServer['received'] = [];
  const heard: Message[] = [];
  let connections = 0;
  const other = createServer((_request, response) => response.end());
  other.on('connection', () => {
    connections += 1;
  });
  const elsewhere = await listen(other);
  const server = createServer(async (request, response) => {
    response.on('error', () => undefined);
    received.push({ line: `${request.method} ${request.url}`, headers: request.headers });
    const body = await text(request).catch(() => '');
    if (request.method !== 'POST') {
      response.writeHead(request.method === 'DELETE' ? 200 : 405).end();
      return;
    }
    const message: Message = JSON.parse(body);
    heard.push(message);
    answer(message, mouthOf({ message, request, response, heard, elsewhere }), attacks);
  });
  const host = await listen(server);
  return {
    host,
    port: portOf(host),
    url: `http://${host}/mcp`,
    received,
    elsewhere: { host: elsewhere, port: portOf(elsewhere), connections: () => connections },
    close: async () => {
      await Promise.all([server, other].map(closed));
    },
  };
}

function answer({ method, id, params }: Message, mouth: FarMouth, attacks: FarAttacks): void {
  const given = params as { name?: string; arguments?: { attack?: string }; protocolVersion?: string };
  if (id === undefined || method === undefined) {
    mouth.response.writeHead(202).end();
  } else if (method === 'initialize') {
    const serverInfo = { name: 'far', version: '1' };
    const { protocolVersion = '' } = given;
    const result = { protocolVersion, capabilities: { tools: {} }, serverInfo };
    mouth.json({ jsonrpc: '2.0', id, result });
  } else {
    const attack =
      attacks[given?.arguments?.attack ?? ''] ?? ((honest: FarMouth) => honest.json(honest.result(1)));
    void attack(mouth);
  }
}

function mouthOf({
  message,
  request,
  response,
  heard,
  elsewhere,
}: {
  message: Message;
  request: IncomingMessage;
  response: ServerResponse;
  heard: readonly Message[];
  elsewhere: string;
}): FarMouth {
  const { id } = message;
  return {
    id,
    response,
    heard,
    elsewhere: `http://${elsewhere}`,
    key: String(request.headers.authorization).replace('Bearer ', ''),
    json: (value, status = 200, headers = {}) => {
      response
        .writeHead(status, { 'content-type': 'application/json', ...headers })
        .end(JSON.stringify(value));
    },
    stream: (...messages) => {
      if (!response.headersSent) {
        response.writeHead(200, { 'content-type': 'text/event-stream' });
      }
      for (const each of messages) {
        response.write(`data: ${JSON.stringify({ jsonrpc: '2.0', ...each })}\n\n`);
      }
    },
    result: (value) => ({
      jsonrpc: '2.0',
      id,
      result: { content: [{ type: 'text', text: JSON.stringify(value) }] },
    }),
  };
}

async function listen(server: ReturnType<typeof createServer>): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const portOf = (host: string) => Number(host.split(':')[1]);

const closed = (server: ReturnType<typeof createServer>) =>
  new Promise<void>((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
