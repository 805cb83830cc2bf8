import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from '@jest/globals';
import {
  EventStreamParser,
  followEvents,
  pauseMs,
  type StreamState,
} from '../../../web/src/api/event-stream.ts';

interface Numbered {
  seq: number;
  last?: boolean;
}

const timing = { firstPauseMs: 1, longestPauseMs: 20, silenceMs: 10_000 };
const frame = (event: Numbered) => `id: ${event.seq}\ndata: ${JSON.stringify(event)}\n\n`;

let server: Server | undefined;
afterEach(() => {
  server?.closeAllConnections();
  server?.close();
});

/** Follows a stream that answers each connection with the next of `answers`; resolves when following ends. */
async function follow(
  answers: ((response: ServerResponse, request: IncomingMessage) => void)[],
  { after = 0, ...more }: { silenceMs?: number; after?: number } = {},
) {
  const resumedFrom: string[] = [];
  server = createServer((request, response) => {
    resumedFrom.push(String(request.headers['last-event-id']));
    const answer = answers.shift();
    if (answer === undefined) {
      response.writeHead(404).end('{"error":{"code":"not_found","message":"over"}}');
    } else {
      answer(response, request);
    }
  });
  await new Promise<void>((listening) => server?.listen(0, '127.0.0.1', listening));
  const { port } = server.address() as AddressInfo;
  const seen: number[] = [];
  const states: StreamState[] = [];
  let code: string | null = null;
  await followEvents<Numbered>({
    url: `http://127.0.0.1:${port}/`,
    after,
    fetch,
    parse: (data) => JSON.parse(data),
    isLast: ({ last }) => last === true,
    onEvents: (events) => seen.push(...events.map(({ seq }) => seq)),
    onState: (state, failure) => {
      states.push(state);
      code = failure?.code ?? null;
    },
    signal: new AbortController().signal,
    timing: { ...timing, ...more },
  });
  return { seen, states, code, resumedFrom };
}

const stream = (...events: Numbered[]) => `: open\n\n${events.map(frame).join('')}`;

describe('following the events of a session', () => {
  it('goes on after a connection that broke inside an event, without losing or doubling one', async () => {
    const { seen, states, resumedFrom } = await follow([
      (response) => {
        response.write(stream({ seq: 1 }, { seq: 2 }) + frame({ seq: 3 }).slice(0, 9), () =>
          response.destroy(),
        );
      },
      // One that ignores where to go on is no trouble either.
      (response) => response.end(stream({ seq: 1 }, { seq: 2 }, { seq: 3 }, { seq: 4 })),
      (response) => response.end(stream({ seq: 5 }, { seq: 6, last: true })),
    ]);
    expect(seen).toEqual([1, 2, 3, 4, 5, 6]);
    expect(resumedFrom).toEqual(['0', '2', '4']);
    expect(states.at(-1)).toBe('ended');
    expect(states).toContain('reconnecting');
  });

  it('asks again where an event is missing', async () => {
    const { seen, resumedFrom } = await follow([
      (response) => response.end(stream({ seq: 1 }, { seq: 3 })),
      (response) => response.end(stream({ seq: 2 }, { seq: 3, last: true })),
    ]);
    expect(seen).toEqual([1, 2, 3]);
    expect(resumedFrom).toEqual(['0', '1']);
  });

  it('ends at once for a session that has nothing more to say', async () => {
    const { seen, states } = await follow([(response) => response.writeHead(204).end()]);
    expect(seen).toEqual([]);
    expect(states).toEqual(['connecting', 'ended']);
  });

  it('tries again while the platform cannot answer or the sign-in has ended, and stops when it refuses', async () => {
    const { states, code } = await follow([
      (response) => response.writeHead(503).end('<html>a proxy</html>'),
      (response) =>
        response.writeHead(401).end('{"error":{"code":"unauthenticated","message":"Sign in first"}}'),
      (response) => response.writeHead(403).end('{"error":{"code":"forbidden","message":"no"}}'),
    ]);
    expect(states).toEqual(['connecting', 'reconnecting', 'reconnecting', 'failed']);
    expect(code).toBe('forbidden');
  });

  it('goes on from an event that is known already', async () => {
    const { seen, resumedFrom } = await follow(
      [(response) => response.end(stream({ seq: 3 }, { seq: 4, last: true }))],
      { after: 2 },
    );
    expect(seen).toEqual([3, 4]);
    expect(resumedFrom).toEqual(['2']);
  });

  it('gives up a connection that never answers, or has gone silent', async () => {
    const { seen, states } = await follow(
      [
        () => undefined,
        (response) => response.write(stream({ seq: 1 })),
        (response) => response.end(stream({ seq: 2, last: true })),
      ],
      { silenceMs: 1000 },
    );
    expect(seen).toEqual([1, 2]);
    expect(states).toContain('reconnecting');
  });
});

it('says nothing more once nobody follows', async () => {
  server = createServer((_request, response) => {
    response.write(stream({ seq: 1 }), () => response.write(frame({ seq: 2 })));
  });
  await new Promise<void>((listening) => server?.listen(0, '127.0.0.1', listening));
  const { port } = server.address() as AddressInfo;
  const leaving = new AbortController();
  const told: unknown[] = [];
  await followEvents<Numbered>({
    url: `http://127.0.0.1:${port}/`,
    after: 0,
    fetch,
    parse: (data) => JSON.parse(data),
    isLast: () => false,
    onEvents: (events) => {
      told.push(...events.map(({ seq }) => seq));
      leaving.abort();
    },
    onState: (state) => told.push(state),
    signal: leaving.signal,
    timing,
  });
  expect(told.slice(0, 3)).toEqual(['connecting', 'live', 1]);
  expect(told.filter((what) => typeof what === 'string')).toHaveLength(2);
});

it('takes events apart wherever the text is cut', () => {
  const text = `: open\n\n${frame({ seq: 1 })}: still here\n\n${frame({ seq: 2 })}`;
  for (let cut = 0; cut <= text.length; cut += 1) {
    const parser = new EventStreamParser();
    expect([...parser.push(text.slice(0, cut)), ...parser.push(text.slice(cut))]).toEqual([
      '{"seq":1}',
      '{"seq":2}',
    ]);
  }
});

it('waits longer with each attempt that brings nothing, up to a limit', () => {
  const pauses = [0, 1, 2, 3, 10, 2000].map((failures) =>
    pauseMs(failures, { ...timing, firstPauseMs: 5 }, 1),
  );
  expect(pauses).toEqual([5, 10, 20, 20, 20, 20]);
});
