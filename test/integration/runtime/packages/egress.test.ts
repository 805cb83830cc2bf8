/**
 * The one way out of a sandbox that loads packages: what it leads to, what it refuses, and what it counts.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, request } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, it } from '@jest/globals';
import { type Egress, type EgressOptions, openEgress } from '../../../../runtime/process/packages/egress.ts';
import { eventually } from '../../../support/eventually.ts';

const directory = mkdtempSync(join(tmpdir(), 'egress-'));
const socketPath = join(directory, 'egress');
const asked: (string | undefined)[] = [];
const registry = createServer((incoming, response) => {
  asked.push(incoming.url);
  response.end(`${incoming.headers.authorization} ${'x'.repeat(1000)}`);
});
let host: string;
const open: Egress[] = [];
beforeAll(async () => {
  await new Promise<void>((resolve) => registry.listen(0, '127.0.0.1', resolve));
  host = `127.0.0.1:${(registry.address() as AddressInfo).port}`;
});
afterEach(() => {
  for (const each of open.splice(0)) {
    each.close();
  }
  asked.length = 0;
});
afterAll(() => {
  registry.closeAllConnections();
  registry.close();
  rmSync(directory, { recursive: true });
});

async function egressTo(urls: string[], changes: Partial<EgressOptions> = {}): Promise<Egress> {
  const egress = await openEgress({
    ...{ socketPath, destinations: urls.map((url) => new URL(url)), outboundProxy: null },
    ...{ maxBytes: 1_000_000, onTooMuch: () => undefined, silenceMs: 30_000 },
    ...changes,
  });
  open.push(egress);
  return egress;
}

/** Resolves to the status of a CONNECT, and its connection. */
const tunnelTo = (authority: string) =>
  new Promise<{ status: number; socket: Socket }>((resolve, reject) => {
    request({ socketPath, method: 'CONNECT', path: authority, agent: false })
      .on('connect', ({ statusCode = 0 }, socket: Socket) => resolve({ status: statusCode, socket }))
      .on('error', reject)
      .end();
  });

const get = (path: string, method = 'GET') =>
  new Promise<{ status: number; text: string }>((resolve, reject) => {
    const headers = { authorization: 'Basic x' };
    request({ socketPath, method, path, headers, agent: false }, async (response) => {
      resolve({ status: response.statusCode ?? 0, text: String(Buffer.concat(await response.toArray())) });
    })
      .on('error', reject)
      .end();
  });

it('leads to its destination, by whole address and by tunnel, and counts what comes', async () => {
  const egress = await egressTo([`http://${host}/npm/`]);
  const { status, text } = await get(`http://${host}/npm/some-server`);
  expect({ status, text: text.slice(0, 9) }).toEqual({ status: 200, text: 'Basic x x' });
  expect(egress.seen().receivedBytes).toBe(text.length);
  const tunnel = await tunnelTo(host);
  expect(tunnel.status).toBe(200);
  tunnel.socket.end(`GET /npm/other HTTP/1.1\r\nhost: ${host}\r\nconnection: close\r\n\r\n`);
  expect(String(Buffer.concat(await tunnel.socket.toArray()))).toContain('200 OK');
  expect(asked).toEqual(['/npm/some-server', '/npm/other']);
  expect(egress.seen()).toMatchObject({ refused: null, broken: null });
});

it('refuses every other host and port, and says which was asked for', async () => {
  const egress = await egressTo(['https://registry.example/', 'https://files.example:8443/']);
  const others = [host, 'registry.example:80', 'registry.example:8443', 'files.example:443', 'x', ''];
  for (const authority of [...others, 'registry.example.evil.example:443', '127.0.0.1:443']) {
    const { status, socket } = await tunnelTo(authority === '' ? ':443' : authority);
    socket.destroy();
    expect({ authority, status }).toEqual({ authority, status: 403 });
  }
  expect(egress.seen().refused).toBe('127.0.0.1:443');
  for (const path of [`http://${host}/`, '/', '/npm/x', 'https://registry.example/', 'file:///etc/passwd']) {
    expect({ path, ...(await get(path)) }).toMatchObject({ path, status: 403 });
  }
  expect(asked).toEqual([]);
});

it('does not connect to where machines keep their credentials, even when that is the destination', async () => {
  const egress = await egressTo(['http://169.254.169.254/']);
  expect((await get('http://169.254.169.254/latest/meta-data/')).status).toBe(502);
  expect(egress.seen().broken?.why).toContain('never connected to');
});

it('looks a host up as it is told, where a tenant named it', async () => {
  const egress = await egressTo(['https://git.example/'], {
    guard: {
      policy: { privateHosts: new Map(), setting: 'HOSTS' },
      resolveName: async () => [{ address: '10.0.0.5', family: 4 }],
    },
  });
  expect((await tunnelTo('git.example:443')).status).toBe(502);
  expect(egress.seen().broken?.why).toContain('a private address');
});

it('asks an outbound proxy for checked addresses alone, where a tenant named the host', async () => {
  const proxied: string[] = [];
  const proxy = createServer().on('connect', ({ url = '' }, socket: Socket) => {
    proxied.push(url);
    socket.end('HTTP/1.1 200 OK\r\n\r\n');
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  const addresses: Record<string, string[]> = {
    'git.example': ['93.184.216.34'],
    'six.example': ['2606:2800:220:1::1'],
    'inside.example': ['93.184.216.34', '10.0.0.5'],
    'metadata.example': ['169.254.169.254'],
  };
  const names = [...Object.keys(addresses), 'listed.example', 'unknown.example'];
  const egress = await egressTo(
    names.map((name) => `https://${name}/`),
    {
      outboundProxy: { url: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`, except: [] },
      guard: {
        policy: { privateHosts: new Map([['listed.example', 'https']]), setting: 'HOSTS' },
        async resolveName(name) {
          const found = addresses[name];
          if (found === undefined) {
            throw new Error('ENOTFOUND');
          }
          return found.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
        },
      },
    },
  );
  const answers = [];
  for (const name of names) {
    const { status, socket } = await tunnelTo(`${name}:443`);
    socket.destroy();
    answers.push([name, status, status === 200 ? null : egress.seen().broken?.why]);
  }
  expect(answers).toEqual([
    ['git.example', 200, null],
    ['six.example', 200, null],
    ['inside.example', 502, expect.stringContaining('a private address')],
    ['metadata.example', 502, expect.stringContaining('never connected to')],
    ['listed.example', 200, null],
    ['unknown.example', 502, expect.stringContaining('only hosts of HOSTS are left to its proxy')],
  ]);
  expect(proxied).toEqual(['93.184.216.34:443', '[2606:2800:220:1::1]:443', 'listed.example:443']);
  proxy.closeAllConnections();
  proxy.close();
});

it('says that it received too much', async () => {
  let tooMuch = 0;
  await egressTo([`http://${host}/`], {
    maxBytes: 500,
    onTooMuch: () => {
      tooMuch += 1;
    },
  });
  await get(`http://${host}/large`).catch(() => undefined);
  expect(tooMuch).toBeGreaterThan(0);
});

it('ends a connection that falls silent, and says whose it was', async () => {
  const silent = createServer(() => undefined);
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
  const { port } = silent.address() as AddressInfo;
  const egress = await egressTo([`http://127.0.0.1:${port}/`], { silenceMs: 100 });
  expect((await get(`http://127.0.0.1:${port}/x`)).status).toBe(502);
  await eventually(() =>
    expect(egress.seen().broken).toEqual({ host: `127.0.0.1:${port}`, why: 'it fell silent' }),
  );
  silent.closeAllConnections();
  silent.close();
});
