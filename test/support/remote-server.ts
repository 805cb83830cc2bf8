/**
 * A remote MCP server and its authorization server in one, honest but for what a test changes: a real
 * HTTP server on loopback.
 */
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import { createServer as createTlsServer, type ServerOptions } from 'node:https';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

/** An answer: a value is sent as JSON with 200. */
export type Reply =
  | { json: unknown; status?: number; headers?: Record<string, string> }
  | ((request: IncomingMessage, response: ServerResponse, body: string) => void);

/** By method and path, such as `GET /mcp`. */
export type Replies = Record<string, Reply>;

export interface RecordedRequest {
  /** Method and path with query. */
  line: string;
  headers: IncomingMessage['headers'];
  body: string;
}

export interface RemoteServer {
  origin: string;
  /** `host:port`. */
  host: string;
  /** Of its MCP endpoint. */
  url: string;
  requests: RecordedRequest[];
  /** Answers differently from now on. */
  change(replies: Replies): void;
  /** Answers honestly again, and forgets what was asked. */
  reset(): void;
  close(): Promise<void>;
}

export const paths = {
  mcp: 'POST /mcp',
  resource: 'GET /.well-known/oauth-protected-resource/mcp',
  rootResource: 'GET /.well-known/oauth-protected-resource',
  issuer: 'GET /.well-known/oauth-authorization-server',
  openid: 'GET /.well-known/openid-configuration',
  register: 'POST /register',
  client: 'GET /register/1',
  deletion: 'DELETE /register/1',
  token: 'POST /token',
  revoke: 'POST /revoke',
};

/** With `tls` it speaks HTTPS. */
export async function startRemoteServer(tls?: ServerOptions): Promise<RemoteServer> {
  const requests: RecordedRequest[] = [];
  let replies: Replies = {};
  const listener: RequestListener = (request, response) => {
    response.on('error', () => undefined);
    text(request).then(
      (body) => {
        const line = `${request.method} ${request.url}`;
        requests.push({ line, headers: request.headers, body });
        answer(replies[line], request, response, body);
      },
      () => undefined,
    );
  };
  const server = tls === undefined ? createServer(listener) : createTlsServer(tls, listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  const origin = `${tls === undefined ? 'http' : 'https'}://${host}`;
  replies = honestReplies(origin);
  return {
    origin,
    host,
    url: `${origin}/mcp`,
    requests,
    change: (changed) => {
      replies = { ...replies, ...changed };
    },
    reset: () => {
      replies = honestReplies(origin);
      requests.length = 0;
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function answer(
  reply: Reply | undefined,
  request: IncomingMessage,
  response: ServerResponse,
  body: string,
): void {
  if (typeof reply === 'function') {
    reply(request, response, body);
  } else if (reply === undefined) {
    response.writeHead(404).end();
  } else {
    const headers = { 'content-type': 'application/json', ...reply.headers };
    response.writeHead(reply.status ?? 200, headers).end(JSON.stringify(reply.json));
  }
}

/** What an honest server publishes; tests change single fields of it. */
export const honestResource = (origin: string) => ({
  resource: `${origin}/mcp`,
  authorization_servers: [origin],
  scopes_supported: ['notes.read'],
  bearer_methods_supported: ['header'],
});

export const honestIssuer = (origin: string) => ({
  issuer: origin,
  authorization_endpoint: `${origin}/authorize`,
  token_endpoint: `${origin}/token`,
  registration_endpoint: `${origin}/register`,
  revocation_endpoint: `${origin}/revoke`,
  response_types_supported: ['code'],
  grant_types_supported: ['authorization_code', 'refresh_token'],
  code_challenge_methods_supported: ['S256'],
  token_endpoint_auth_methods_supported: ['client_secret_basic', 'none'],
  authorization_response_iss_parameter_supported: true,
});

/** What an honest server answers to a registration. */
export const honestClient = (origin: string, asked: object) => ({
  ...asked,
  client_id: 'the-client',
  client_secret: 'the-client-secret',
  client_secret_expires_at: 0,
  registration_access_token: 'the-registration-token',
  registration_client_uri: `${origin}/register/1`,
});

/** Of a server that answers without asking who calls. */
export const openReplies: Replies = {
  [paths.mcp]: (_request, response, body) => {
    const { id = null } = JSON.parse(body) as { id?: unknown };
    const result = {
      protocolVersion: '2025-06-18',
      capabilities: {},
      serverInfo: { name: 's', version: '1' },
    };
    response
      .writeHead(200, { 'content-type': 'application/json' })
      .end(JSON.stringify({ jsonrpc: '2.0', id, result }));
  },
};

export const honestReplies = (origin: string): Replies => ({
  [paths.mcp]: {
    status: 401,
    json: {},
    headers: {
      'www-authenticate': `Bearer resource_metadata="${origin}/.well-known/oauth-protected-resource/mcp", scope="notes.write"`,
    },
  },
  [paths.resource]: { json: honestResource(origin) },
  [paths.issuer]: { json: honestIssuer(origin) },
  [paths.register]: (_request, response, body) => {
    response
      .writeHead(201, { 'content-type': 'application/json' })
      .end(JSON.stringify(honestClient(origin, JSON.parse(body))));
  },
  [paths.client]: { json: honestClient(origin, {}) },
  [paths.deletion]: (_request, response) => response.writeHead(204).end(),
  [paths.revoke]: (_request, response) => response.writeHead(200).end(),
});
