/**
 * Answers that go on for hours, through the guard, against real servers, of which the
 * second must hear nothing.
 */

import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from '@jest/globals';
import type { ResolveName } from '../../../../lib/outbound/guarded-lookup.ts';
import { openStream, type StreamRequest } from '../../../../lib/outbound/open-stream.ts';
import { resolveByLookup } from '../../../../lib/outbound/resolve-names.ts';
import { type RemoteServer, startRemoteServer } from '../../../support/remote-server.ts';

let server: RemoteServer;
let other: RemoteServer;
let mute: Server;
const muteSockets: Socket[] = [];
beforeAll(async () => {
  other = await startRemoteServer();
  // Accepts connections, and reads nothing.
  mute = createServer({ pauseOnConnect: true }, (socket) => muteSockets.push(socket)).listen(0, '127.0.0.1');
  await new Promise((resolve) => mute.once('listening', resolve));
});
beforeEach(async () => {
  server = await startRemoteServer();
});
afterEach(() => server.close());
afterAll(async () => {
  // It does not notice that the other side is gone.
  for (const socket of muteSockets) {
    socket.destroy();
  }
  mute.close();
  await other.close();
});

function open(
  changed: Partial<StreamRequest> = {},
  signal = new AbortController().signal,
  resolveName?: ResolveName,
) {
  const url = changed.url ?? new URL('/x', server.origin);
  const policy = { privateHosts: new Map([[url.host, 'http' as const]]), setting: 'SETTING' };
  const context = { policy, signal, workspaceId: null, resolveName: resolveName ?? resolveByLookup };
  const limits = { connectMs: 10_000, silenceMs: 10_000 };
  return openStream(context, {
    method: 'POST',
    url,
    headers: {},
    body: Buffer.from('x'),
    ...limits,
    ...changed,
  });
}

it('the body is read while it comes, and ended by the signal with its reason', async () => {
  server.change({ 'POST /x': (_request, response) => response.writeHead(200, { a: 'b' }).write('first') });
  const ending = new AbortController();
  let isSent = false;
  const { status, headers, body } = await open({ onSent: () => (isSent = true) }, ending.signal);
  expect({ status, a: headers['a'], isSent }).toEqual({ status: 200, a: 'b', isSent: true });
  const chunks = body[Symbol.asyncIterator]();
  expect(String((await chunks.next()).value)).toBe('first');
  const reason = new Error('enough');
  ending.abort(reason);
  await expect(chunks.next()).rejects.toBe(reason);
});

it.each([
  ['no answer', { silenceMs: 50 }, /sent no answer for 0.05 seconds/],
  ['no address', { connectMs: 50 }, /took no request for 0.05 seconds/],
])('%s within the limit is an error, and the connection is closed', async (what, limit, message) => {
  let isClosed: Promise<unknown> = Promise.resolve();
  server.change({
    'POST /x': (_request, response) => {
      isClosed = new Promise((resolve) => response.once('close', resolve));
    },
  });
  const isUnresolved = what === 'no address';
  const url = isUnresolved ? { url: new URL('http://slow.test/') } : {};
  let isSent = false;
  const asked = open(
    { ...url, ...limit, onSent: () => (isSent = true) },
    undefined,
    isUnresolved ? () => new Promise(() => {}) : undefined,
  );
  await expect(asked).rejects.toMatchObject({ code: 'timed_out', message: expect.stringMatching(message) });
  expect(isSent).toBe(!isUnresolved);
  await isClosed;
});

it('a request that the other side does not take is not sent', async () => {
  const url = new URL(`http://127.0.0.1:${(mute.address() as AddressInfo).port}/`);
  const body = Buffer.alloc(64 * 1024 * 1024);
  await expect(open({ url, body, connectMs: 200 })).rejects.toThrow(/took no request for 0.2 seconds/);
});

it('no redirect is followed, not even by a plain GET', async () => {
  server.change({
    'GET /x': (_request, response) => response.writeHead(302, { location: `${other.origin}/y` }).end(),
  });
  await expect(open({ method: 'GET', body: null })).rejects.toMatchObject({ code: 'redirect_refused' });
  expect(other.requests).toEqual([]);
});

it('errors are explained, and the reason of the signal is thrown as it is', async () => {
  server.change({ 'POST /x': (request) => request.socket.destroy() });
  await expect(open()).rejects.toMatchObject({ name: 'OutboundError', code: 'unreachable' });
  const reason = new Error('enough');
  await expect(open({}, AbortSignal.abort(reason))).rejects.toBe(reason);
});
