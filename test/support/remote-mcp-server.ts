/** A real MCP server at a URL, of the official SDK, with one tool. It keeps the headers that it was sent. */
import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type RequestListener } from 'node:http';
import { createServer as createTlsServer, type ServerOptions } from 'node:https';
import type { AddressInfo } from 'node:net';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';

export interface RemoteMcpServer {
  port: number;
  /** Of each request, in their order. */
  headers: IncomingMessage['headers'][];
  close(): Promise<void>;
}

/** What its tool `greet` answers. */
export const greeting = 'greetings from afar';

/** Listens on `host`; with `tls` it speaks HTTPS. Any path is its endpoint. */
export async function startRemoteMcpServer(
  host = '127.0.0.1',
  tls?: ServerOptions,
): Promise<RemoteMcpServer> {
  const sessions = new Map<string, StreamableHTTPServerTransport>();
  const headers: RemoteMcpServer['headers'] = [];
  const listener: RequestListener = (request, response) => {
    headers.push(request.headers);
    serve(sessions, request.headers['mcp-session-id'])
      .then((transport) => transport.handleRequest(request, response))
      .catch(() => response.destroy());
  };
  const server = tls === undefined ? createServer(listener) : createTlsServer(tls, listener);
  await new Promise<void>((resolve) => server.listen(0, host, resolve));
  return {
    port: (server.address() as AddressInfo).port,
    headers,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function serve(
  sessions: Map<string, StreamableHTTPServerTransport>,
  id: string | string[] | undefined,
): Promise<StreamableHTTPServerTransport> {
  const known = sessions.get(String(id));
  if (known !== undefined) {
    return known;
  }
  const transport: StreamableHTTPServerTransport = new StreamableHTTPServerTransport({
    sessionIdGenerator: randomUUID,
    onsessioninitialized: (session) => {
      sessions.set(session, transport);
    },
  });
  const mcp = new McpServer({ name: 'far', version: '1.0.0' });
  mcp.registerTool('greet', {}, () => ({ content: [{ type: 'text', text: greeting }] }));
  await mcp.connect(transport);
  return transport;
}
