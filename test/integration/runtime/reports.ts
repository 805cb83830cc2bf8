/**
 * The platform's internal routes as far as a starting session needs them: every report is accepted and kept.
 */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Report {
  sessionId: string;
  /** Such as `ready`, or `events`. */
  route: string;
  token: string;
  body: unknown;
}

export interface Reports {
  url: string;
  of(sessionId: string, route: string): Report[];
  close(): Promise<void>;
}

/** The access token that a session gets for any of its servers. */
export const accessTokenOf = (sessionId: string) => `access-token-of-${sessionId}`;

const answers: Readonly<Record<string, (sessionId: string) => unknown>> = {
  ready: () => ({ inputs: [] }),
  artifacts: () => ({
    artifact_id: '3f0c8f9e-52b0-4f8e-9f2b-0c4c3a1b2d10',
    size_bytes: 1,
    sha256: '0'.repeat(64),
  }),
  'model-requests': () => ({ decision: 'allowed' }),
  'access-tokens': (sessionId) => ({
    result: 'token',
    access_token: accessTokenOf(sessionId),
    token_id: 'the-first',
    expires_at: null,
  }),
};

/**
 * `host`: an address at which the sidecars reach this machine. It may not exist
 * before the first of them does.
 */
export async function takeReports(host = '127.0.0.1'): Promise<Reports> {
  const all: Report[] = [];
  const server = createServer(async (request, response) => {
    const bytes = Buffer.concat(await request.toArray());
    const { pathname } = new URL(request.url ?? '', 'http://platform');
    const [, , , sessionId = '', first = '', , last] = pathname.split('/');
    const route = last === undefined ? first : `${first}/${last}`;
    const token = String(request.headers['x-internal-token']);
    all.push({ sessionId, route, token, body: bytes.length > 0 ? JSON.parse(bytes.toString()) : null });
    if (route === 'model-requests/usage') {
      response.writeHead(204).end();
      return;
    }
    response
      .writeHead(200, { 'content-type': 'application/json' })
      .end(JSON.stringify(answers[route]?.(sessionId) ?? { ok: true }));
  });
  const listenOn = host === '127.0.0.1' ? host : '0.0.0.0';
  await new Promise<void>((resolve) => server.listen(0, listenOn, resolve));
  return {
    url: `http://${host}:${(server.address() as AddressInfo).port}`,
    of: (sessionId, route) => all.filter((each) => each.sessionId === sessionId && each.route === route),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
