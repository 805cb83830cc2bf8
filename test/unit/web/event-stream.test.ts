import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from '@jest/globals';
import { type LinkState, pauseMs, StreamFollower } from '../../../web/src/api/event-stream.ts';

const timing = {
  firstPauseMs: 1,
  longestPauseMs: 20,
  refusedPauseMs: 30,
  goodAfterMs: 5_000,
  silenceMs: 60_000,
};
const frame = (count: number) => `data: ${count}\n\n`;

type AnswerWith = (response: ServerResponse, request: IncomingMessage) => void;

let server: Server | undefined;
let follower: StreamFollower<number> | StreamFollower<string> | undefined;
afterEach(() => {
  follower?.stop();
  server?.closeAllConnections();
  server?.close();
});

/** Follows a stream that answers each connection with the next of `answers`, and stops after `last`. */
async function follow(answers: AnswerWith[], last: number, more: Partial<typeof timing> = {}) {
  const paths: (string | undefined)[] = [];
  server = createServer((request, response) => {
    paths.push(request.url);
    const answer = answers.shift() ?? (() => response.writeHead(404).end());
    answer(response, request);
  });
  await new Promise<void>((listening) => server?.listen(0, '127.0.0.1', listening));
  const { port } = server.address() as AddressInfo;
  const seen: number[] = [];
  const states: LinkState[] = [];
  const statuses: (number | undefined)[] = [];
  const started = new StreamFollower<number>({
    url: () => `http://127.0.0.1:${port}/${seen.at(-1) ?? 0}`,
    fetch,
    parse: Number,
    onMessage(message) {
      seen.push(message);
      if (message === last) {
        started.stop();
      }
    },
    onState(state, failure) {
      states.push(state);
      statuses.push(failure?.status);
    },
    timing: { ...timing, ...more },
  });
  follower = started;
  await started.run();
  return { seen, states, statuses, paths };
}

describe('following a stream', () => {
  it('reconnects after a connection that broke inside a message, from its position', async () => {
    const { seen, states, paths } = await follow(
      [
        (response) => response.write(`${frame(1)}${frame(2)}dat`, () => response.destroy()),
        (response) => response.end(frame(3)),
        (response) => response.write(frame(4)),
      ],
      4,
    );
    expect(seen).toEqual([1, 2, 3, 4]);
    expect(paths).toEqual(['/0', '/2', '/3']);
    expect(states).toEqual(['connecting', 'live', 'reconnecting', 'live', 'reconnecting', 'live']);
  });

  it('retries whatever the platform responds, and says why', async () => {
    const { statuses, seen } = await follow(
      [
        (response) => response.writeHead(503).end('<html>a proxy</html>'),
        (response) => response.writeHead(401).end('{"error":{"code":"unauthenticated","message":"Sign in"}}'),
        (response) => response.writeHead(429, { 'Retry-After': '0' }).end('{}'),
        (response) => response.write(frame(1)),
      ],
      1,
    );
    expect(statuses.filter((status) => status !== undefined)).toEqual([503, 401, 429]);
    expect(seen).toEqual([1]);
  });

  it('drops a connection that never responds, or has gone silent', async () => {
    const { seen, states } = await follow(
      [() => undefined, (response) => response.write(frame(1)), (response) => response.write(frame(2))],
      2,
      { silenceMs: 1000 },
    );
    expect(seen).toEqual([1, 2]);
    expect(states).toContain('reconnecting');
  });

  it('connects immediately when told to', async () => {
    const done = follow(
      [(response) => response.writeHead(401).end('{}'), (response) => response.write(frame(1))],
      1,
      // Longer than any test may take.
      { refusedPauseMs: 3_600_000 },
    );
    const nudge = setInterval(() => follower?.retry(), 20);
    expect((await done).seen).toEqual([1]);
    clearInterval(nudge);
  });

  it('does not reconnect once it is retired', async () => {
    const done = follow([(response) => setTimeout(() => response.end(frame(1)), 50)], 99);
    const nudge = setInterval(() => follower?.retire(), 5);
    const { seen, states } = await done;
    clearInterval(nudge);
    expect(seen).toEqual([1]);
    expect(states).not.toContain('reconnecting');
  });
});

it('separates messages wherever the text is cut', async () => {
  const text = `: open\n\n${frame(1)}: still here\n\n${frame(2)}`;
  for (let cut = 0; cut <= text.length; cut += 1) {
    expect(await messagesOf([text.slice(0, cut), text.slice(cut)])).toEqual(['1', '2']);
  }
});

/** Both messages of a stream that comes in these parts. */
async function messagesOf(parts: string[]): Promise<string[]> {
  const seen: string[] = [];
  const started = new StreamFollower<string>({
    url: () => '/',
    fetch: async () => new Response(ReadableStream.from(parts.map((part) => new TextEncoder().encode(part)))),
    parse: String,
    onMessage(message) {
      seen.push(message);
      if (seen.length === 2) {
        started.stop();
      }
    },
    onState: () => undefined,
    timing,
  });
  follower = started;
  await started.run();
  return seen;
}

it('backs off with each fruitless attempt, up to a limit', () => {
  const pauses = [0, 1, 2, 3, 10, 2000].map((failures) =>
    pauseMs(failures, { ...timing, firstPauseMs: 5 }, 1),
  );
  expect(pauses).toEqual([5, 10, 20, 20, 20, 20]);
});
