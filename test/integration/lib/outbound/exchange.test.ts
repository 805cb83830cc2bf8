/**
 * Requests of every method through the guard, against real servers, of which the second must hear nothing.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { resolveByLookup } from '../../../../lib/outbound/resolve-names.ts';
import type { OutboundContext } from '../../../../lib/outbound/send.ts';
import { exchange, type OutboundRequest, request } from '../../../../lib/outbound/send.ts';
import { makeCertificate } from '../../../support/certificate.ts';
import { chooseTestPort } from '../../../support/free-port.ts';
import { type RemoteServer, startRemoteServer } from '../../../support/remote-server.ts';

let server: RemoteServer;
let other: RemoteServer;
beforeAll(async () => {
  other = await startRemoteServer();
});
beforeEach(async () => {
  server = await startRemoteServer();
});
afterEach(() => server.close());
afterAll(() => other.close());

const context = (signal = new AbortController().signal) => ({
  policy: {
    privateHosts: new Map([server, other].map(({ host }) => [host, 'http' as const])),
    setting: 'SETTING',
  },
  resolveName: resolveByLookup,
  workspaceId: null,
  signal,
});
const ask = (changed: Partial<OutboundRequest> = {}, contentTypes = ['application/json'], maxBytes = 1000) =>
  request(context(), {
    method: 'GET',
    url: new URL('/x', server.origin),
    timeoutMs: 10_000,
    contentTypes,
    maxBytes,
    ...changed,
  });
const answerTo = (method: string, status: number, type: string | null, body = '{"a":1}') =>
  server.change({
    [`${method} /x`]: (_request, response) =>
      response.writeHead(status, type === null ? {} : { 'content-type': type }).end(body),
  });

describe('a request', () => {
  it.each([
    ['POST', { json: { a: 'ä' } }, 'application/json', '{"a":"ä"}'],
    ['PUT', { json: [] }, 'application/json', '[]'],
    ['POST', { form: { a: 'b c', d: '&=' } }, 'application/x-www-form-urlencoded', 'a=b+c&d=%26%3D'],
  ] as const)('%s sends its body %j', async (method, body, type, text) => {
    answerTo(method, 200, 'application/json; charset=utf-8');
    const headers = { authorization: 'Bearer x' };
    const answer = await ask({ method, body, headers });
    expect(answer).toMatchObject({
      status: 200,
      contentType: 'application/json',
      body: Buffer.from('{"a":1}'),
    });
    expect(server.requests).toMatchObject([
      {
        line: `${method} /x`,
        body: text,
        headers: {
          'content-type': type,
          'content-length': String(Buffer.byteLength(text)),
          authorization: 'Bearer x',
          'user-agent': 'gatepost',
        },
      },
    ]);
  });

  it('DELETE has no body, and needs none back', async () => {
    answerTo('DELETE', 204, null, '');
    expect(await ask({ method: 'DELETE' }, [])).toMatchObject({ status: 204, body: Buffer.alloc(0) });
    expect(server.requests[0]).toMatchObject({ body: '' });
    expect(server.requests[0]?.headers).not.toHaveProperty('content-type');
  });
});

describe('an answer', () => {
  it.each([
    [200, 'text/html'],
    [201, 'application/jsonp'],
    [200, null],
  ])('of %i with the type %s is refused', async (status, type) => {
    answerTo('GET', status, type);
    await expect(ask()).rejects.toMatchObject({ code: 'unexpected_content_type' });
  });

  it.each([
    [404, 'text/html', ''],
    [401, null, ''],
    [400, 'application/json', '{"a":1}'],
  ])('of %i with the type %s says what its status says', async (status, type, body) => {
    answerTo('GET', status, type);
    expect(await ask()).toMatchObject({ status, body: Buffer.from(body) });
  });

  it('is refused when it is too large, whatever its status', async () => {
    answerTo('GET', 400, 'application/json', ' '.repeat(1001));
    await expect(ask()).rejects.toMatchObject({ code: 'too_large' });
    answerTo('GET', 200, 'application/json', ' '.repeat(1000));
    expect((await ask()).body).toHaveLength(1000);
  });
});

describe('a redirect is not followed', () => {
  const targets = ['own', 'other'] as const;
  const statuses = [301, 302, 303, 307, 308];
  const requests: [string, Partial<OutboundRequest>][] = [
    ['a POST with a secret', { method: 'POST', body: { form: { client_secret: 'a-secret' } } }],
    ['an empty POST', { method: 'POST' }],
    ['a PUT', { method: 'PUT', body: { json: {} } }],
    ['a DELETE', { method: 'DELETE' }],
    ['a GET with Authorization', { headers: { authorization: 'Bearer a-secret' } }],
    ['a GET with a key', { headers: { 'x-key': 'a-secret' } }],
    ['a GET that follows none', { redirects: 0 }],
  ];
  it.each(requests)('after %s', async (_what, changed) => {
    for (const target of targets) {
      for (const status of statuses) {
        server.requests.length = 0;
        const location = target === 'own' ? '/y' : `${other.origin}/y`;
        server.change({
          [`${changed.method ?? 'GET'} /x`]: (_request, response) =>
            response.writeHead(status, { location }).end(),
        });
        await expect(ask({ redirects: 5, ...changed })).rejects.toMatchObject({
          code: 'redirect_refused',
          message: expect.not.stringContaining('a-secret'),
        });
        expect(server.requests).toHaveLength(1);
      }
    }
    expect(other.requests).toEqual([]);
  });

  it('after a plain GET, when it leaves the origin; within it, it is', async () => {
    const headers = { accept: 'application/json' };
    server.change({
      'GET /x': (_request, response) => response.writeHead(302, { location: '/y' }).end(),
      'GET /y': { json: { y: 1 } },
    });
    expect(String((await ask({ redirects: 1, headers })).body)).toBe('{"y":1}');
    server.change({
      'GET /y': (_request, response) => response.writeHead(302, { location: `${other.origin}/y` }).end(),
    });
    await expect(ask({ redirects: 5, headers })).rejects.toMatchObject({ code: 'redirect_refused' });
    expect(other.requests).toEqual([]);
  });
});

describe('the limit of time', () => {
  it.each(['before the headers', 'in the body'])('ends a request %s', async (when) => {
    server.change({
      'GET /x': (_request, response) => {
        if (when === 'in the body') {
          response.writeHead(200, { 'content-type': 'application/json' }).write('{');
        }
      },
    });
    await expect(ask({ timeoutMs: 300 })).rejects.toMatchObject({
      code: 'timed_out',
      message: `${server.host} took longer than 0.3 seconds`,
    });
  });

  it('ends a look-up of a name', async () => {
    const never = { ...context(), resolveName: () => new Promise<never>(() => undefined) };
    const sent = { method: 'GET' as const, url: new URL('https://server.test/'), timeoutMs: 300 };
    await expect(exchange(never, sent, async () => null)).rejects.toMatchObject({ code: 'timed_out' });
  });

  it('is not waited for when the work is stopped, which gives its reason', async () => {
    server.change({ 'GET /x': () => undefined });
    const stopped = new AbortController();
    setTimeout(() => stopped.abort(new Error('stopped')), 100);
    const sent = { method: 'GET' as const, url: new URL('/x', server.origin), timeoutMs: 60_000 };
    await expect(exchange(context(stopped.signal), sent, async () => null)).rejects.toThrow('stopped');
    await expect(exchange(context(stopped.signal), sent, async () => null)).rejects.toThrow('stopped');
  });
});

describe('a connection is reported', () => {
  const connections = async (url: string, changed: Partial<OutboundContext> = {}, timeoutMs = 10_000) => {
    let made = 0;
    const onConnected = () => {
      made += 1;
    };
    const sent = { method: 'POST' as const, url: new URL(url), timeoutMs, onConnected };
    await exchange({ ...context(), ...changed }, sent, async () => null).catch(() => undefined);
    return made;
  };
  const listing = (host: string, scheme: 'http' | 'https') => ({
    policy: { privateHosts: new Map([[host, scheme]]), setting: 'SETTING' },
  });

  it('when it is made, also when no answer comes', async () => {
    expect(await connections(`${server.origin}/x`)).toBe(1);
    server.change({ 'POST /x': () => undefined });
    expect(await connections(`${server.origin}/x`, {}, 300)).toBe(1);
    server.change({ 'POST /x': (request) => request.socket.destroy() });
    expect(await connections(`${server.origin}/x`)).toBe(1);
  });

  it('not when nothing listens, the address is refused, or no name is found', async () => {
    const free = `127.0.0.1:${await chooseTestPort()}`;
    expect(await connections(`http://${free}/x`, listing(free, 'http'))).toBe(0);
    expect(await connections('https://127.0.0.2/x')).toBe(0);
    expect(await connections('https://server.test/x', { resolveName: async () => [] })).toBe(0);
    const never = () => new Promise<never>(() => undefined);
    expect(await connections('https://server.test/x', { resolveName: never }, 300)).toBe(0);
  });

  it('over TLS only when the certificate is trusted', async () => {
    const { key, certificate } = makeCertificate('127.0.0.1');
    const encrypted = await startRemoteServer({ key, cert: certificate });
    try {
      const listed = listing(encrypted.host, 'https');
      expect(await connections(`${encrypted.origin}/x`, listed)).toBe(0);
      expect(encrypted.requests).toEqual([]);
      expect(
        await connections(`${encrypted.origin}/x`, { ...listed, certificateAuthority: certificate }),
      ).toBe(1);
    } finally {
      await encrypted.close();
    }
  });
});

describe('a socket that leads to a listed host', () => {
  const directory = mkdtempSync(join(tmpdir(), 'host-socket-'));
  const hostSocket = join(directory, 's');
  let forwarded: RemoteServer['requests'];
  let front: Server;
  beforeAll(async () => {
    front = createServer((asked, response) => {
      forwarded.push({ line: `${asked.method} ${asked.url}`, headers: asked.headers, body: '' });
      response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
    });
    await new Promise<void>((resolve) => front.listen(hostSocket, resolve));
  });
  beforeEach(() => {
    forwarded = [];
  });
  afterAll(() => {
    front.close();
    rmSync(directory, { recursive: true });
  });

  const askAt = (url: string) =>
    request(
      { ...context(), resolveName: () => Promise.reject(new Error('nobody is asked')), hostSocket },
      {
        method: 'GET',
        url: new URL(url),
        timeoutMs: 10_000,
        contentTypes: ['application/json'],
        maxBytes: 1000,
      },
    );

  it('is connected to in its place, without a look-up, and is sent its name', async () => {
    await askAt(`${server.origin}/x`);
    expect(forwarded).toMatchObject([{ line: 'GET /x', headers: { host: server.host } }]);
    expect(server.requests).toEqual([]);
  });

  it.each(['http://127.0.0.1:1/x', 'https://far.test/x', 'https://10.1.2.3/x'])(
    'is not used for a host that is not listed: %s',
    async (url) => {
      await expect(askAt(url)).rejects.toThrow();
      expect(forwarded).toEqual([]);
    },
  );
});
