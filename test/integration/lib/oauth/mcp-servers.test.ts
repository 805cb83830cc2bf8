/** Real MCP servers that need no sign-in, and servers whose connection says no. */
import type { ServerResponse } from 'node:http';
import { afterEach, describe, expect, it } from '@jest/globals';
import { discoverRemoteServer } from '../../../../lib/oauth/discover.ts';
import { makeCertificate } from '../../../support/certificate.ts';
import { chooseTestPort } from '../../../support/free-port.ts';
import { paths, type Reply, startRemoteServer } from '../../../support/remote-server.ts';
import { contextFor, refusalOf, smallLimits } from './asking.ts';
import { type McpServerProcess, startEarlierServer, startModernServer } from './mcp-servers.ts';

const running: { close(): Promise<void> }[] = [];
const started = async <Server extends { close(): Promise<void> }>(
  server: Promise<Server>,
): Promise<Server> => {
  running.push(await server);
  return server;
};
afterEach(async () => {
  await Promise.all(running.splice(0).map((server) => server.close()));
});

describe('a server without sign-in', () => {
  it.each([
    ['of 2025 that answers on a stream', () => startEarlierServer(false)],
    ['of 2025 that answers with JSON', () => startEarlierServer(true)],
    ['of 2026 that speaks 2025, too', () => startModernServer('stateless')],
    ['of 2026 alone', () => startModernServer('reject')],
  ] as [string, () => Promise<McpServerProcess>][])(
    '%s is found, and keeps no session',
    async (_what, start) => {
      const server = await started(start());
      expect(await discoverRemoteServer(contextFor([server.host]), server.url)).toEqual({
        kind: 'no_sign_in',
      });
      expect(server.openSessions()).toBe(0);
      expect(
        await refusalOf(discoverRemoteServer(contextFor([server.host]), `${server.url}?a=b#c`)),
      ).toMatchObject({
        code: 'url_refused',
      });
    },
  );
});

it.each([
  ['line feeds', '\n'],
  ['carriage returns', '\r'],
  ['both', '\r\n'],
])('a response is found on a stream with %s that holds other messages and stays open', async (_, end) => {
  const server = await started(startRemoteServer());
  const log = { jsonrpc: '2.0', method: 'notifications/message', params: { error: 'ä', result: {} } };
  const result = { protocolVersion: '2025-11-25', capabilities: {} };
  const bytes = Buffer.from(
    [log, { jsonrpc: '2.0', id: 1, result }]
      .map((each) => `data: ${JSON.stringify(each)}${end}${end}`)
      .join(''),
  );
  server.change({
    [paths.mcp]: (_request, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      // In the middle of a letter.
      const at = bytes.indexOf('ä') + 1;
      response.write(bytes.subarray(0, at), () => setTimeout(() => response.write(bytes.subarray(at)), 50));
    },
  });
  expect(await discoverRemoteServer(contextFor([server.host]), server.url)).toEqual({ kind: 'no_sign_in' });
});

describe('a server that opens a session freely', () => {
  const initialized = { protocolVersion: '2025-11-25', capabilities: {} };
  const discovered = { supportedVersions: ['2026-07-28'], capabilities: {} };
  /** It answers only this, and everything else as told. */
  const opensWith =
    (method: string, result: object, then: (response: ServerResponse) => void): Reply =>
    (_request, response, body) => {
      if (JSON.parse(body).method === method) {
        const headers = { 'content-type': 'application/json', 'mcp-session-id': 'the-session' };
        response.writeHead(200, headers).end(JSON.stringify({ jsonrpc: '2.0', id: 1, result }));
      } else {
        then(response);
      }
    };
  const challenge = (response: ServerResponse): void => {
    response.writeHead(401, { 'www-authenticate': 'Bearer scope="notes.read"' }).end();
  };

  it('and asks for a token then is one that people sign in to', async () => {
    const server = await started(startRemoteServer());
    server.change({ [paths.mcp]: opensWith('initialize', initialized, challenge) });
    expect(await discoverRemoteServer(contextFor([server.host]), server.url)).toMatchObject({
      kind: 'sign_in',
      scopes: ['notes.read'],
    });
    const sent = server.requests.filter(({ line }) => line.endsWith(' /mcp'));
    expect(sent.map(({ line, body }) => [line, body && JSON.parse(body).method])).toEqual([
      [paths.mcp, 'initialize'],
      [paths.mcp, 'notifications/initialized'],
      [paths.mcp, 'tools/list'],
      ['DELETE /mcp', ''],
    ]);
    const later = { 'mcp-session-id': 'the-session', 'mcp-protocol-version': '2025-11-25' };
    expect(sent.slice(1).map(({ headers }) => headers)).toEqual(
      Array(3).fill(expect.objectContaining(later)),
    );
  });

  it('also of the revision without sessions', async () => {
    const server = await started(startRemoteServer());
    const otherwise = (response: ServerResponse) =>
      response
        .writeHead(400, { 'content-type': 'application/json' })
        .end('{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"no"}}');
    const open = opensWith('server/discover', discovered, challenge);
    server.change({
      [paths.mcp]: (request, response, body) =>
        JSON.parse(body).method === 'initialize'
          ? otherwise(response)
          : typeof open === 'function' && open(request, response, body),
    });
    expect(await discoverRemoteServer(contextFor([server.host]), server.url)).toMatchObject({
      kind: 'sign_in',
    });
  });

  it.each<[string, (response: ServerResponse) => void]>([
    ['refuses the question', (response) => response.writeHead(400).end()],
    ['breaks down', (response) => response.writeHead(500).end()],
    ['hangs up', (response) => response.destroy()],
    ['redirects', (response) => response.writeHead(307, { location: 'https://elsewhere.test/' }).end()],
    ['never answers', () => undefined],
    ['answers without end', (response) => void response.writeHead(200).write('x')],
  ])('and %s then is used without', async (_, then) => {
    const server = await started(startRemoteServer());
    server.change({ [paths.mcp]: opensWith('initialize', initialized, then) });
    const limits = { ...smallLimits, requestTimeoutMs: 300 };
    const context = contextFor([server.host], { limits });
    expect(await discoverRemoteServer(context, server.url)).toEqual({ kind: 'no_sign_in' });
  });
});

describe('a connection that fails', () => {
  const { key, certificate } = makeCertificate('127.0.0.1');

  it('is explained when nothing listens', async () => {
    const host = `127.0.0.1:${await chooseTestPort()}`;
    expect(await refusalOf(discoverRemoteServer(contextFor([host]), `http://${host}/mcp`))).toMatchObject({
      code: 'unreachable',
      isTemporary: true,
      message: `${host} refuses the connection; is a server listening there? (ECONNREFUSED).`,
    });
  });

  it('is explained when a name has no address', async () => {
    const context = contextFor([], {
      resolveName: () => Promise.reject(Object.assign(new Error('no'), { code: 'ENOTFOUND' })),
    });
    expect((await refusalOf(discoverRemoteServer(context, 'https://server.test/mcp')))?.message).toContain(
      'server.test has no address',
    );
  });

  it('is not made when a name has a private address', async () => {
    const context = contextFor([], { resolveName: async () => [{ address: '10.0.0.1', family: 4 }] });
    expect(await refusalOf(discoverRemoteServer(context, 'https://server.test/mcp'))).toMatchObject({
      code: 'address_refused',
      isTemporary: false,
    });
  });

  it('is explained when the certificate is not trusted, and made when it is', async () => {
    const server = await started(startRemoteServer({ key, cert: certificate }));
    const refusal = await refusalOf(discoverRemoteServer(contextFor([server.host], {}, 'https'), server.url));
    expect(refusal).toMatchObject({ code: 'unreachable', isTemporary: false });
    expect(refusal?.message).toContain('has a certificate that is not trusted here');
    expect(server.requests).toEqual([]);
    const trusting = contextFor([server.host], { certificateAuthority: certificate }, 'https');
    expect(await discoverRemoteServer(trusting, server.url)).toMatchObject({ kind: 'sign_in' });
  });

  it.each(['TLSv1.2', 'TLSv1.3'] as const)(
    'is explained when %s asks for a client certificate',
    async (version) => {
      const tls = {
        key,
        cert: certificate,
        requestCert: true,
        rejectUnauthorized: true,
        maxVersion: version,
      };
      const server = await started(startRemoteServer(tls));
      const trusting = contextFor([server.host], { certificateAuthority: certificate }, 'https');
      const refusal = await refusalOf(discoverRemoteServer(trusting, server.url));
      expect(refusal?.message).toMatch(
        version === 'TLSv1.3'
          ? /asks for a client certificate/
          : /could not agree on an encrypted connection|closed the connection/,
      );
      expect(server.requests).toEqual([]);
    },
  );

  it('is explained when a server speaks no TLS', async () => {
    const server = await started(startRemoteServer());
    const context = contextFor([server.host], {}, 'https');
    expect((await refusalOf(discoverRemoteServer(context, `https://${server.host}/mcp`)))?.message).toContain(
      'could not agree on an encrypted connection',
    );
  });
});

describe('a discovery', () => {
  it('reads what an honest server says, with the scopes of its challenge', async () => {
    const server = await started(startRemoteServer());
    expect(await discoverRemoteServer(contextFor([server.host]), server.url)).toMatchObject({
      kind: 'sign_in',
      resource: server.url,
      authorizationServer: { issuer: server.origin, sendsIssuer: true },
      scopes: ['notes.write'],
    });
    expect(server.requests.map(({ line }) => line)).toEqual([paths.mcp, paths.resource, paths.issuer]);
    expect(server.requests[0]?.headers).toMatchObject({ accept: 'application/json, text/event-stream' });
    expect(server.requests[0]?.headers).not.toHaveProperty('mcp-protocol-version');
  });

  it('reads documents at every well-known address, within redirects of their origin', async () => {
    const server = await started(startRemoteServer());
    const gone = { status: 404, json: {} };
    const moved = (path: string) => ({ status: 308, json: {}, headers: { location: path } });
    server.change({
      [paths.mcp]: { status: 401, json: {} },
      [paths.resource]: gone,
      [paths.rootResource]: moved('/documents/resource'),
      'GET /documents/resource': {
        json: { resource: server.origin, authorization_servers: [`${server.origin}/tenant`] },
      },
      'GET /tenant/.well-known/openid-configuration': {
        json: {
          issuer: `${server.origin}/tenant`,
          authorization_endpoint: `${server.origin}/authorize`,
          token_endpoint: `${server.origin}/token`,
          response_types_supported: ['code'],
          code_challenge_methods_supported: ['S256'],
        },
      },
    });
    expect(await discoverRemoteServer(contextFor([server.host]), server.url)).toMatchObject({
      resource: server.origin,
      authorizationServer: { issuer: `${server.origin}/tenant` },
      scopes: [],
    });
    expect(server.requests.map(({ line }) => line)).toEqual([
      paths.mcp,
      paths.resource,
      paths.rootResource,
      'GET /documents/resource',
      'GET /.well-known/oauth-authorization-server/tenant',
      'GET /.well-known/openid-configuration/tenant',
      'GET /tenant/.well-known/openid-configuration',
    ]);
  });

  it('takes the first authorization server that can be used', async () => {
    const server = await started(startRemoteServer());
    const issuers = ['javascript:x', `${server.origin}/none`, server.origin];
    server.change({ [paths.resource]: { json: { resource: server.url, authorization_servers: issuers } } });
    expect(await discoverRemoteServer(contextFor([server.host]), server.url)).toMatchObject({
      authorizationServer: { issuer: server.origin },
    });
  });

  it('waits for the first authorization server rather than take another while that is in trouble', async () => {
    const server = await started(startRemoteServer());
    const issuers = [`${server.origin}/first`, server.origin];
    server.change({
      [paths.resource]: { json: { resource: server.url, authorization_servers: issuers } },
      'GET /.well-known/openid-configuration/first': { status: 503, json: {} },
    });
    expect(await refusalOf(discoverRemoteServer(contextFor([server.host]), server.url))).toMatchObject({
      code: 'unreachable',
      isTemporary: true,
    });
  });

  it('ends at once when it is aborted, with the reason', async () => {
    const server = await started(startRemoteServer());
    server.change({ [paths.issuer]: () => undefined });
    const stopped = new AbortController();
    const discovering = discoverRemoteServer(
      contextFor([server.host], { signal: stopped.signal }),
      server.url,
    );
    setTimeout(() => stopped.abort(new Error('the worker stops')), 100);
    await expect(discovering).rejects.toThrow('the worker stops');
  });

  it('ends when it takes too long as a whole', async () => {
    const server = await started(startRemoteServer());
    server.change({ [paths.issuer]: () => undefined });
    const limits = { ...smallLimits, requestTimeoutMs: 10_000, discoveryTimeoutMs: 200 };
    expect(
      await refusalOf(discoverRemoteServer(contextFor([server.host], { limits }), server.url)),
    ).toMatchObject({
      code: 'unreachable',
      isTemporary: true,
      message: `${server.host} and its authorization server took longer than 0.2 seconds.`,
    });
  });
});
