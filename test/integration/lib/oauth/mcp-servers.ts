/** Real MCP servers over Streamable HTTP, built with both lines of the official SDK. */
import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { McpServer as EarlierServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { createMcpHandler, McpServer } from '@modelcontextprotocol/server';

export interface McpServerProcess {
  host: string;
  url: string;
  /** Sessions that were opened and not ended. */
  openSessions(): number;
  close(): Promise<void>;
}

const information = { name: 'notes', version: '1.0.0' };

type Listener = (request: IncomingMessage, response: ServerResponse) => Promise<void>;

async function listen(listener: Listener, openSessions = () => 0): Promise<McpServerProcess> {
  const server = createServer((request, response) => {
    listener(request, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    host,
    url: `http://${host}/mcp`,
    openSessions,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** Of the line that speaks 2026-07-28; `legacy: 'reject'` speaks nothing else. */
export function startModernServer(legacy: 'stateless' | 'reject'): Promise<McpServerProcess> {
  const handler = createMcpHandler(() => new McpServer(information), { legacy });
  return listen(async (request, response) => {
    const body = request.method === 'POST' ? { body: new Uint8Array(await buffer(request)) } : {};
    const headers = new Headers(
      Object.entries(request.headersDistinct).map(([name, values]) => [name, values?.[0] ?? '']),
    );
    const asked = new Request(`http://${request.headers.host}${request.url}`, {
      method: request.method ?? 'GET',
      headers,
      ...body,
    });
    const answer = await handler.fetch(asked);
    response.writeHead(answer.status, Object.fromEntries(answer.headers));
    if (answer.body === null) {
      response.end();
    } else {
      Readable.fromWeb(answer.body).pipe(response);
    }
  });
}

/** Of the line of 2025, with a session for each client; answers as JSON or on a stream that stays open. */
export function startEarlierServer(enableJsonResponse: boolean): Promise<McpServerProcess> {
  const sessions = new Map<string, StreamableHTTPServerTransport>();
  return listen(
    async (request, response) => {
      const known = sessions.get(String(request.headers['mcp-session-id']));
      if (known !== undefined) {
        return known.handleRequest(request, response);
      }
      const transport: StreamableHTTPServerTransport = new StreamableHTTPServerTransport({
        sessionIdGenerator: randomUUID,
        enableJsonResponse,
        onsessioninitialized: (id) => {
          sessions.set(id, transport);
        },
        onsessionclosed: (id) => {
          sessions.delete(id);
        },
      });
      await new EarlierServer(information).connect(transport);
      await transport.handleRequest(request, response);
    },
    () => sessions.size,
  );
}
