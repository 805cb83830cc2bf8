import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import Koa from 'koa';
import { answerWithEvents } from '../../../api/event-stream/answer.ts';
import { createStreamLimit } from '../../../api/event-stream/stream-limit.ts';
import { eventually } from '../../support/eventually.ts';

const owner = { userId: 'a', workspaceIds: ['w'] };
let streamLimit: ReturnType<typeof createStreamLimit>;
/** What the next request is answered with. */
let stream: (signal: AbortSignal) => AsyncGenerator<string>;
/** Before a request is answered. */
let beforeAnswer: () => Promise<void>;
let server: Server;
let url: string;

beforeEach(async () => {
  streamLimit = createStreamLimit({ LIMIT_EVENT_STREAMS_PER_USER: 1, LIMIT_EVENT_STREAMS_PER_PROCESS: 4 });
  beforeAnswer = async () => {};
  const app = new Koa();
  // Of a connection that its client closed.
  app.on('error', () => undefined);
  app.use(async (ctx) => {
    await beforeAnswer();
    answerWithEvents(ctx, { streamLimit, ...owner }, stream);
  });
  server = createServer(app.callback()).listen(0, '127.0.0.1');
  await once(server, 'listening');
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterEach(async () => {
  server.closeAllConnections();
  server.close();
  await once(server, 'close');
});

const isFree = () => {
  streamLimit.enter(owner)();
  return true;
};
const isTaken = () => expect(() => streamLimit.enter(owner)).toThrow('1 open event streams per user');
/** Resolved from outside. */
function signalled() {
  let resolve = () => {};
  const promise = new Promise<void>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}

describe('the slot of an event stream', () => {
  it('is held after its client has left, until the stream has ended', async () => {
    const [aborted, read] = [signalled(), signalled()];
    stream = async function* (signal) {
      signal.addEventListener('abort', () => aborted.resolve(), { once: true });
      yield 'data: first\n\n';
      // A statement that takes its time.
      await read.promise;
    };
    const caller = new AbortController();
    const answer = await fetch(url, { signal: caller.signal });
    expect(answer.status).toBe(200);
    caller.abort();
    await aborted.promise;
    isTaken();
    read.resolve();
    await eventually(isFree);
  });

  it('is free when the stream ends by itself, and when it fails', async () => {
    stream = async function* () {
      yield 'data: all\n\n';
    };
    expect(await (await fetch(url)).text()).toBe('data: all\n\n');
    await eventually(isFree);
    stream = async function* () {
      yield 'data: some\n\n';
      throw new Error('it fails');
    };
    await expect(fetch(url).then((answer) => answer.text())).rejects.toThrow();
    await eventually(isFree);
  });

  it('is free when its client left before the stream began, which then reads nothing', async () => {
    let begun = 0;
    stream = async function* () {
      begun += 1;
      yield 'data: late\n\n';
    };
    const [asked, closed] = [signalled(), signalled()];
    beforeAnswer = async () => {
      asked.resolve();
      await closed.promise;
    };
    server.once('request', (_request, response) => response.once('close', closed.resolve));
    const caller = new AbortController();
    const answer = fetch(url, { signal: caller.signal });
    answer.catch(() => undefined);
    await asked.promise;
    caller.abort();
    await closed.promise;
    await eventually(isFree);
    expect(begun).toBe(0);
  });
});
