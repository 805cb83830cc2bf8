/** What counts as an answer of the platform. */
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { createPlatformApi, type PlatformApi } from '../../../../sidecar/platform-api/platform-api.ts';
import { PlatformRefusal, PlatformUnreachable } from '../../../../sidecar/platform-api/request.ts';

let server: Server;
let api: PlatformApi;
let requests: number;
let answer: (response: ServerResponse) => void;
beforeEach(async () => {
  requests = 0;
  server = createServer((request, response) => {
    requests += 1;
    request.resume().once('end', () => answer(response));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  api = createPlatformApi({ apiUrl: `http://127.0.0.1:${port}`, sessionId: 's', token: 't' });
});
afterEach(() => {
  server.closeAllConnections();
  server.close();
});

const send = (status: number, body: unknown, headers: Record<string, string> = {}) => {
  answer = (response) => response.writeHead(status, headers).end(JSON.stringify(body));
};
const event = { id: 'e', type: 'agent.status', payload: { status: 'x' } } as never;

it('has accepted calls only when it confirms that', async () => {
  send(200, { ok: true });
  await expect(api.reportCalls([], 10_000)).resolves.toBeUndefined();
});

it.each([
  ['a redirect to a page for signing in', 302, '', { location: 'http://127.0.0.1:1/' }],
  ['a page of a proxy', 200, '<html>Back soon</html>', {}],
  ['an answer of another kind', 200, { status: 'ok' }, {}],
])('has not accepted them when there is %s', async (_what, status, body, headers) => {
  send(status, body, headers as Record<string, string>);
  await expect(api.reportCalls([], 300)).rejects.toBeInstanceOf(PlatformUnreachable);
});

it('is retried when it is too busy for calls, and not for events of the agent', async () => {
  send(429, { error: { code: 'rate_limited', message: 'the limit is 600 events a minute' } });
  await expect(api.reportCalls([], 2000)).rejects.toBeInstanceOf(PlatformUnreachable);
  expect(requests).toBeGreaterThan(1);
  requests = 0;
  const refused = await api.publishEvent(event).catch((error: unknown) => error);
  expect(refused).toBeInstanceOf(PlatformRefusal);
  expect(refused).toMatchObject({ status: 429, code: 'rate_limited' });
  expect(requests).toBe(1);
});

it('refuses in the words of the platform, with the first field that is wrong', async () => {
  const fields = [
    { path: 'payload.status', code: 'invalid_type', message: 'must be text' },
    { path: 'payload.detail', code: 'invalid_type', message: 'must be text' },
  ];
  send(422, { error: { code: 'validation_failed', message: 'Some fields are not valid', fields } });
  await expect(api.publishEvent(event)).rejects.toMatchObject({
    code: 'validation_failed',
    message: 'Some fields are not valid: payload.status: must be text',
  });
  send(403, 'a page of a proxy');
  await expect(api.publishEvent(event)).rejects.toMatchObject({ status: 403, code: 'refused' });
});

it('retries a check over another connection when a kept-alive one is silent', async () => {
  let silent: ServerResponse | null = null;
  answer = (response) => {
    if (silent === null) {
      silent = response;
    } else {
      response.end(JSON.stringify({ decision: 'allowed', granted_via: null }));
    }
  };
  const call = { call_id: 'c', server: 'notes', tool: 'add_note' };
  await expect(api.checkCall(call)).resolves.toMatchObject({ decision: 'allowed' });
  expect(requests).toBe(2);
});

it('asks again about the same calls when the connection breaks in the middle of an answer', async () => {
  const bodies: unknown[] = [];
  server.on('request', (request: IncomingMessage) => {
    void request
      .toArray()
      .then((chunks: Buffer[]) => bodies.push(JSON.parse(Buffer.concat(chunks).toString())));
  });
  const allowed = { decision: 'allowed', granted_via: null };
  const checks = [randomUUID(), randomUUID()].map((call_id) => ({
    call_id,
    server: 'notes',
    tool: 'add_note',
  }));
  const text = JSON.stringify({ answers: checks.map(({ call_id }) => ({ call_id, answer: allowed })) });
  answer = (response) => {
    if (requests === 1) {
      response.writeHead(200, { 'content-length': text.length }).write(text.slice(0, 60));
      setTimeout(() => response.destroy(), 20);
    } else {
      response.end(text);
    }
  };
  const answers = await api.checkCalls(checks);
  expect([...answers]).toEqual(checks.map(({ call_id }) => [call_id, allowed]));
  expect(bodies).toEqual([{ checks }, { checks }]);
});

it.each([
  ['a request that is sent again', (): Promise<unknown> => api.reportCalls([], 300)],
  [
    'an upload',
    () =>
      api.storeArtifact(
        { artifact_id: 'a', name: 'n', mime_type: 'text/plain', description: null },
        Buffer.from('abc'),
      ),
  ],
])('does not wait after a response that switches the protocol: %s', async (_what, send) => {
  answer = (response) => {
    response.socket?.end('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: other\r\n\r\n');
  };
  await expect(send()).rejects.toBeInstanceOf(PlatformUnreachable);
});

it.each([
  ['bytes', () => Buffer.from('abc')],
  ['a stream', () => Readable.from([Buffer.from('a'), Buffer.from('bc')])],
])('uploads %s', async (_what, body) => {
  const taken = { artifact_id: randomUUID(), size_bytes: 3, sha256: 'x' };
  send(201, taken);
  const metadata = { artifact_id: 'a', name: 'n', mime_type: 'text/plain', description: null };
  await expect(api.storeArtifact(metadata, body())).resolves.toEqual(taken);
});

it('reports an artifact as not stored when the connection ends without an answer', async () => {
  answer = (response) => response.destroy();
  const metadata = { artifact_id: 'a', name: 'n', mime_type: 'text/plain', description: null };
  const lost = api.storeArtifact(metadata, Readable.from([Buffer.from('abc')]));
  await expect(lost).rejects.toBeInstanceOf(PlatformUnreachable);
});
