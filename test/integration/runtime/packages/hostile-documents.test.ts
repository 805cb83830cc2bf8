/** What a sandbox that loads packages, and the registry behind it, can cost the worker with documents about packages. */
import { mkdtempSync, rmSync } from 'node:fs';
import { Agent, createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, it } from '@jest/globals';
import type { PackagesError } from '../../../../runtime/process/packages/errors.ts';
import { openRegistryProxy } from '../../../../runtime/process/packages/proxy/open-proxy.ts';
import { createUpstream } from '../../../../runtime/process/packages/proxy/upstream.ts';
import { eventually } from '../../../support/eventually.ts';
import { bestHoldShare } from '../../../support/loop-hold.ts';

const directory = mkdtempSync(join(tmpdir(), 'proxy-'));
const socketPath = join(directory, 'registry');
const asked: string[] = [];
let answer: (request: IncomingMessage, response: ServerResponse) => void;
const registry = createServer((request, response) => {
  asked.push(request.url ?? '');
  answer(request, response);
});
const ended: (() => void)[] = [];
beforeAll(() => new Promise<void>((resolve) => registry.listen(0, '127.0.0.1', resolve)));
afterEach(() => {
  for (const end of ended.splice(0)) {
    end();
  }
  asked.length = 0;
});
afterAll(() => {
  registry.closeAllConnections();
  registry.close();
  rmSync(directory, { recursive: true });
});

/** The proxy of one load, and what it found fault with. */
async function openProxy(maxDownloadBytes = 1024 * 1024 * 1024): Promise<PackagesError[]> {
  const faults: PackagesError[] = [];
  const stopped = new AbortController();
  const url = new URL(`http://127.0.0.1:${(registry.address() as AddressInfo).port}/`);
  const proxy = await openRegistryProxy({
    socketPath,
    registries: {
      npm: { url, authorization: null },
      uv: { url: new URL('simple/', url), authorization: null },
    },
    upstream: createUpstream({
      outboundProxy: null,
      privateHosts: [],
      certificateAuthorities: null,
      answerTimeoutMs: 60_000,
      signal: stopped.signal,
    }),
    maxDownloadBytes,
    onFault: (fault) => faults.push(fault),
  });
  agent = new Agent({ keepAlive: true, maxSockets: 50 });
  ended.push(() => {
    agent.destroy();
    stopped.abort();
    proxy.close();
  });
  return faults;
}

/** Of one proxy: its connections end with it. */
let agent: Agent;

function get(path: string): Promise<{ status: number; text: string }> {
  return new Promise((resolve, reject) => {
    request({ socketPath, path, agent }, async (response) => {
      const chunks: Buffer[] = await response.toArray();
      resolve({ status: response.statusCode ?? 0, text: String(Buffer.concat(chunks)) });
    })
      .on('error', reject)
      .end();
  });
}

const packument = (tarballs: readonly string[]) =>
  JSON.stringify({
    versions: Object.fromEntries(tarballs.map((tarball, at) => [`${at}.0.0`, { dist: { tarball } }])),
  });

it('a document that is requested a thousand times is fetched and parsed once', async () => {
  const held: ServerResponse[] = [];
  answer = (_request, response) => void held.push(response);
  await openProxy();
  const many = Array.from({ length: 500 }, () => get('/npm/some-server'));
  await eventually(() => expect(held).toHaveLength(1));
  held[0]?.end(packument(['/some-server/-/some-server-0.0.0.tgz']));
  many.push(...(await Promise.all(many)).map(() => get('/npm/some-server')));
  const texts = new Set((await Promise.all(many)).map(({ text }) => text));
  expect(texts.size).toBe(1);
  expect(asked).toEqual(['/some-server']);
  const tarball = new URL(JSON.parse([...texts][0] ?? '').versions['0.0.0'].dist.tarball);
  answer = (_request, response) => void response.end('the tarball');
  expect(await get(tarball.pathname)).toEqual({ status: 200, text: 'the tarball' });
  expect((await get(`/file/${'0'.repeat(64)}/x`)).status).toBe(403);
});

it('a large document is parsed without blocking the worker', async () => {
  const tarballs = Array.from({ length: 50_000 }, (_, at) => `/large-server/-/large-server-${at}.0.0.tgz`);
  answer = (_request, response) => void response.end(packument(tarballs));
  await openProxy();
  let loaded = 0;
  // Each time under a name that has not been read.
  const load = async () => {
    loaded += 1;
    const { text } = await get(`/npm/large-server-${loaded}`);
    expect(text.match(/127\.0\.0\.1:\d+\/file\//g)).toHaveLength(tarballs.length);
  };
  // Read in the worker's own event loop, nearly all of it is one hold.
  expect(await bestHoldShare(load, { below: 1 / 2 })).toBeLessThan(1 / 2);
});

it.each([
  ['packages', '/npm/odd-server', `{"versions":{},"more":[${'{},'.repeat(5_000_000)}0]}`],
  ['Python packages', '/pypi/odd-server/', `{"files":[],"more":${'['.repeat(8_000_000)}`],
])('of %s, a document of millions of values is refused, and ends the load', async (_what, path, text) => {
  answer = (_request, response) =>
    void response.writeHead(200, { 'content-type': 'application/vnd.pypi.simple.v1+json' }).end(text);
  const faults = await openProxy();
  expect(await get(path)).toMatchObject({ status: 502 });
  expect(faults.map(({ message, shownAs }) => [message, shownAs])).toEqual([
    [expect.stringContaining('knows too much'), 'registry_unreachable'],
  ]);
});

it('a page whose URLs would grow to many times their length ends the load', async () => {
  // Each empty address becomes one of the proxy, of a hundred characters.
  const page = 'href=""'.repeat(2_000_000);
  answer = (_request, response) => void response.writeHead(200, { 'content-type': 'text/html' }).end(page);
  const faults = await openProxy();
  expect(await get('/pypi/odd-server/')).toMatchObject({ status: 502 });
  expect(faults.map(({ message }) => message)).toEqual([expect.stringContaining('knows too much')]);
});

it('eight documents are loaded concurrently, however many are requested', async () => {
  const held: ServerResponse[] = [];
  answer = (_request, response) => void held.push(response);
  await openProxy();
  const many = Array.from({ length: 20 }, (_, at) => get(`/npm/server-${at}`));
  await eventually(() => expect(held).toHaveLength(8));
  // By then the proxy has taken all of the requests.
  expect((await get('/something')).status).toBe(403);
  expect(held).toHaveLength(8);
  for (let at = 0; at < many.length; at += 1) {
    await eventually(() => expect(held.length).toBeGreaterThan(at));
    expect(held.length).toBeLessThanOrEqual(at + 8);
    held[at]?.end(packument([]));
  }
  expect((await Promise.all(many)).map(({ status }) => status)).toEqual(many.map(() => 200));
});

it('documents count towards the download limit of a load', async () => {
  answer = (_request, response) =>
    void response.end(JSON.stringify({ versions: {}, readme: 'x'.repeat(400_000) }));
  const faults = await openProxy(1_000_000);
  expect((await get('/npm/first')).status).toBe(200);
  expect((await get('/npm/first')).status).toBe(200);
  expect((await get('/npm/second')).status).toBe(200);
  expect((await get('/npm/third')).status).toBe(502);
  expect(faults.map(({ message }) => message)).toEqual([
    'the packages are larger than PACKAGE_MAX_BYTES allows',
  ]);
});
