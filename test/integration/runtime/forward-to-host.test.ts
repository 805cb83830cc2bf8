/** The way from one sandbox to one private host: real sockets at both ends. */
import { mkdtempSync, rmSync } from 'node:fs';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { ResolveName } from '../../../lib/outbound/guarded-lookup.ts';
import { forwardToHost } from '../../../runtime/process/host/forward-to-host.ts';
import { eventually } from '../../support/eventually.ts';

const directory = mkdtempSync(join(tmpdir(), 'forward-'));
const path = join(directory, '.host.sock');
let server: Server;
let port = 0;
let taken: Socket[] = [];
let forward: { close(): void } | null = null;

beforeAll(async () => {
  // Answers each connection with what it sent, once it has ended.
  server = createServer({ allowHalfOpen: true }, (socket) => {
    taken.push(socket.on('error', () => undefined));
    const chunks: Buffer[] = [];
    socket
      .on('data', (chunk: Buffer) => chunks.push(chunk))
      .on('end', () => socket.end(Buffer.concat(chunks)));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  port = (server.address() as AddressInfo).port;
});
beforeEach(() => {
  taken = [];
});
afterEach(() => {
  forward?.close();
  rmSync(path, { force: true });
});
afterAll(() => {
  server.close();
  rmSync(directory, { recursive: true });
});

const open = async (origin: string, resolveName?: ResolveName) => {
  forward = await forwardToHost({ socket: path, origin }, resolveName);
};
/** What comes back for these bytes until the connection ends; `failed` when it breaks. */
const exchange = (bytes: Buffer | string): Promise<string> => {
  const socket = connect({ path, allowHalfOpen: true });
  socket.end(bytes);
  return buffer(socket).then(String, () => 'failed');
};
const resolvesTo =
  (...addresses: string[]): ResolveName =>
  async () =>
    addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));

describe('a forward to a private host', () => {
  it('passes bytes and ends both ways, many connections at a time', async () => {
    await open(`http://127.0.0.1:${port}`);
    const large = 'x'.repeat(3_000_000);
    expect(await Promise.all([exchange('one'), exchange(large), exchange('three')])).toEqual([
      'one',
      large,
      'three',
    ]);
  });

  it('looks its name up for each connection', async () => {
    let asked = 0;
    await open(`http://far.test:${port}`, async (name) => {
      asked += 1;
      return resolvesTo('127.0.0.1')(name);
    });
    expect([await exchange('one'), await exchange('two')]).toEqual(['one', 'two']);
    expect(asked).toBe(2);
  });

  it.each([
    ['a metadata service', ['169.254.169.254']],
    ['a metadata service written as IPv6', ['::ffff:169.254.169.254']],
    ['one of several', ['127.0.0.1', '100.100.100.200']],
    ['any address of this machine', ['0.0.0.0']],
  ])('connects to nothing when its name leads to %s', async (_, addresses) => {
    await open(`http://far.test:${port}`, resolvesTo(...addresses));
    expect(await exchange('one')).toMatch(/^(failed)?$/);
    expect(taken).toEqual([]);
  });

  it.each(['http://169.254.169.254', 'https://[fd00:ec2::254]', 'http://[::ffff:a9fe:a9fe]:80'])(
    'is not opened to %s',
    async (origin) => {
      await expect(forwardToHost({ socket: path, origin })).rejects.toThrow('never connected to');
    },
  );

  it('ends a connection that cannot be made, and the next one may succeed', async () => {
    let name = resolvesTo('127.0.0.1');
    await open(`http://far.test:${port}`, (hostname) => name(hostname));
    name = () => Promise.reject(new Error('no such name'));
    expect(await exchange('one')).toMatch(/^(failed)?$/);
    name = resolvesTo('127.0.0.1');
    expect(await exchange('two')).toBe('two');
  });

  it('breaks the other side of what breaks, and everything when it is closed', async () => {
    await open(`http://127.0.0.1:${port}`);
    const gone = connect(path);
    await eventually(() => expect(taken).toHaveLength(1));
    gone.destroy();
    await eventually(() => expect(taken[0]?.readableEnded || taken[0]?.destroyed).toBe(true));
    const left = connect(path).on('error', () => undefined);
    const closed = new Promise((resolve) => left.once('close', resolve));
    await eventually(() => expect(taken).toHaveLength(2));
    forward?.close();
    await closed;
    await eventually(() => expect(taken[1]?.destroyed || taken[1]?.readableEnded).toBe(true));
    expect(await exchange('late')).toBe('failed');
  });
});
