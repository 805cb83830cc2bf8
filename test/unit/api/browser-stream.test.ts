/** How often a browser's stream reads: bounded, however many announcements come. */
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import type { StreamSource } from '../../../api/event-stream/access.ts';
import { streamToBrowser } from '../../../api/event-stream/browser-stream.ts';
import { NewsCollector } from '../../../api/event-stream/workspace-news.ts';
import type { SessionEvent } from '../../../contract/session-event.ts';

const userId = randomUUID();
const workspaceId = randomUUID();
const sessionId = randomUUID();

/** A session with that many events; `wake` announces one more. */
function source({ events, batchSize }: { events: number; batchSize: number }) {
  const wakes = new Set<(eventType: string | null) => void>();
  const subscribe = (_id: string, wake: (eventType: string | null) => void) => {
    wakes.add(wake);
    return () => wakes.delete(wake);
  };
  const event = (seq: number): SessionEvent => ({
    id: randomUUID(),
    seq,
    session_id: sessionId,
    type: 'agent.status',
    at: '2026-01-01T00:00:00.000Z',
    actor: { type: 'system', id: null },
    payload: { status: 'x' },
  });
  const counted = { rounds: 0, lastSeq: events };
  const browser: StreamSource = {
    viewer: { userId, signInId: randomUUID() },
    reads: {
      async roles() {
        counted.rounds += 1;
        return new Map([[workspaceId, 'admin' as const]]);
      },
      sessions: async () =>
        new Map([
          [
            sessionId,
            {
              id: sessionId,
              workspace_id: workspaceId,
              root_operator_id: userId,
              schedule_maker_id: null,
              operator_id: userId,
              shared_with_workspace: true,
              status: 'running' as const,
              last_event_seq: counted.lastSeq,
              last_record: '',
              live_text: null,
            },
          ],
        ]),
      events: async ({ after }) =>
        Array.from({ length: Math.min(batchSize, counted.lastSeq - after) }, (_, at) =>
          event(after + at + 1),
        ),
      liveText: async () => null,
    },
    feed: { subscribe, subscribeWorkspace: subscribe, subscribeUser: () => () => undefined },
  };
  const wake = () => {
    counted.lastSeq += 1;
    for (const each of [...wakes]) {
      each('agent.status');
    }
  };
  return { browser, counted, wake };
}

/** Reads until `isDone`; returns the numbers of the events. */
async function readUntil(browser: StreamSource, isDone: (seqs: readonly number[]) => boolean) {
  const ended = new AbortController();
  const timing = { checkMs: 60_000, heartbeatMs: 60_000 };
  const after = new Map([[sessionId, 0]]);
  const seqs: number[] = [];
  for await (const frame of streamToBrowser(browser, { after, timing, signal: ended.signal })) {
    const message = JSON.parse(frame.slice('data: '.length));
    if (message.type === 'session.event') {
      seqs.push(message.event.seq);
    }
    if (isDone(seqs)) {
      ended.abort();
    }
  }
  return seqs;
}

describe('the stream of a browser', () => {
  it('reads at most ten times a second, and four times more after quiet, whatever is announced, and misses nothing', async () => {
    const { browser, counted, wake } = source({ events: 0, batchSize: 1000 });
    const startedAt = performance.now();
    const seen = readUntil(browser, (seqs) => seqs.at(-1) === 300);
    for (let announced = 0; announced < 300; announced += 1) {
      await sleep(2);
      wake();
    }
    expect(await seen).toEqual(Array.from({ length: 300 }, (_, at) => at + 1));
    expect(counted.rounds).toBeLessThanOrEqual((performance.now() - startedAt) / 100 + 3 + 4);
  });

  it('reads what is announced first after quiet without the pause of what follows', async () => {
    const { browser, counted, wake } = source({ events: 0, batchSize: 1000 });
    const seen = readUntil(browser, (seqs) => seqs.at(-1) === 3);
    for (const pauseMs of [50, 30, 60]) {
      await sleep(pauseMs);
      wake();
    }
    await seen;
    // Two when it opens, and one for each: with 100 ms between them the second would wait for the third.
    expect(counted.rounds).toBe(5);
  });

  it('reads existing events without a pause', async () => {
    const { browser } = source({ events: 200, batchSize: 2 });
    const startedAt = performance.now();
    expect(await readUntil(browser, (seqs) => seqs.at(-1) === 200)).toHaveLength(200);
    // A hundred rounds.
    expect(performance.now() - startedAt).toBeLessThan(100 * 100);
  });
});

describe('announcements of a workspace', () => {
  it('are made only for changes of a list, also while some are pending', () => {
    let rings = 0;
    let announce: (eventType: string | null) => void = () => undefined;
    const collector = new NewsCollector(
      (_id, wake) => {
        announce = wake;
        return () => undefined;
      },
      () => {
        rings += 1;
      },
      60_000,
    );
    collector.follow(new Set([workspaceId]));
    announce('user.message');
    expect([rings, collector.take().length]).toEqual([1, 1]);
    announce('user.message');
    for (let count = 0; count < 100; count += 1) {
      announce('agent.status');
    }
    expect([rings, collector.take().length]).toEqual([2, 0]);
  });
});
