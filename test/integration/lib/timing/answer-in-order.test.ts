/** Requests that are sent ahead of an answer, on real connections. */
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { answerInOrder } from '../../../../lib/timing/answer-in-order.ts';
import { eventually } from '../../../support/eventually.ts';

/** What the listener was called with, in order, and how to answer. */
let begun: { url: string; body: string; response: ServerResponse }[];
let arrived: number;
let server: ReturnType<typeof createServer>;
let client: Socket;
let got: string;

beforeEach(async () => {
  begun = [];
  arrived = 0;
  got = '';
  const listener = answerInOrder(async (request, response) => {
    let body = '';
    const entry = { url: request.url ?? '', body, response };
    begun.push(entry);
    for await (const chunk of request) {
      body += String(chunk);
    }
    entry.body = body;
  });
  server = createServer((request, response) => {
    arrived += 1;
    listener(request, response);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  client = connect((server.address() as AddressInfo).port, '127.0.0.1');
  client
    .on('error', () => undefined)
    .on('data', (chunk) => {
      got += String(chunk);
    });
});
afterEach(() => {
  client.destroy();
  server.closeAllConnections();
  server.close();
});

const get = (path: string) => `GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`;
const post = (path: string, body: string) =>
  `POST ${path} HTTP/1.1\r\nHost: a\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
const isBegun = (count: number) => eventually(() => expect(begun).toHaveLength(count));

it('are begun one after the other, each with its body, and answered in order', async () => {
  const large = 'b'.repeat(300_000);
  client.write(get('/1') + post('/2', 'some') + post('/3', large) + get('/4'));
  for (let count = 1; count <= 4; count += 1) {
    await isBegun(count);
    const { response } = begun[count - 1] ?? {};
    if (count === 3) {
      await eventually(() => expect(begun[2]?.body).toHaveLength(large.length));
    }
    expect(begun).toHaveLength(count);
    response?.end(`answer ${count};`);
  }
  await eventually(() =>
    expect(got.match(/answer \d/g)).toEqual([1, 2, 3, 4].map((count) => `answer ${count}`)),
  );
  expect(begun.map(({ url, body }) => [url, body.length])).toEqual([
    ['/1', 0],
    ['/2', 4],
    ['/3', large.length],
    ['/4', 0],
  ]);
});

it('wait for an answer that its client has already and whose end is not yet known', async () => {
  client.write(get('/1'));
  await isBegun(1);
  begun[0]?.response.writeHead(200, { 'content-length': 3 }).write('all');
  await eventually(() => expect(got).toContain('all'));
  client.write(get('/2'));
  await eventually(() => expect(arrived).toBe(2));
  expect(begun).toHaveLength(1);
  begun[0]?.response.end();
  await isBegun(2);
  begun[1]?.response.end('second');
  await eventually(() => expect(got).toContain('second'));
});

it('are dropped when their connection closes', async () => {
  client.write(get('/1') + get('/2') + get('/3'));
  await eventually(() => expect(arrived).toBe(3));
  client.destroy();
  const { response } = begun[0] ?? {};
  if (response?.closed === false) {
    await once(response, 'close');
  }
  expect(begun).toHaveLength(1);
});

it('close their connection when there are more than a few', async () => {
  client.write(get('/ahead').repeat(10_000));
  await new Promise<void>((resolve) => client.once('close', () => resolve()));
  expect({ begun: begun.length, got }).toEqual({ begun: 1, got: '' });
});
