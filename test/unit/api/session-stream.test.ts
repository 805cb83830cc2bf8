import { randomUUID } from 'node:crypto';
import { afterEach, describe, expect, it, jest } from '@jest/globals';
import type { StreamSource } from '../../../api/event-stream/access.ts';
import { streamSessionEvents } from '../../../api/event-stream/session-stream.ts';
import type { SessionEvent } from '../../../contract/session-event.ts';

const sessionId = randomUUID();
const workspaceId = randomUUID();
const userId = randomUUID();
const event = (seq: number, to?: string): SessionEvent => ({
  id: randomUUID(),
  seq,
  session_id: sessionId,
  type: to === undefined ? 'agent.status' : 'session.status_changed',
  at: '2026-01-01T00:00:00.000Z',
  actor: { type: 'system', id: null },
  payload: to === undefined ? { status: 'line one\nline two\n\nid: 99' } : { from: null, to, reason: null },
});

interface Harness extends StreamSource {
  wakes: Set<() => void>;
  ring(): void;
}

/**
 * A session with these events, of which each read finds two; `isMember` says whether the
 * viewer still may read it.
 */
function source(events: SessionEvent[], isMember = () => true): Harness {
  const wakes = new Set<() => void>();
  const subscribe = (wake: () => void) => {
    wakes.add(wake);
    return () => wakes.delete(wake);
  };
  return {
    wakes,
    ring() {
      for (const wake of wakes) {
        wake();
      }
    },
    viewer: { userId, signInId: randomUUID() },
    reads: {
      roles: async () => new Map(isMember() ? [[workspaceId, 'member' as const]] : []),
      sessions: async (ids) => new Map(ids.map((id) => [id, watched(events)])),
      events: async ({ after }) => events.filter(({ seq }) => seq > after).slice(0, 2),
      liveText: async () => null,
    },
    feed: {
      subscribe: (_id, wake) => subscribe(wake),
      subscribeUser: (_id, wake) => subscribe(wake),
      subscribeWorkspace: () => () => undefined,
    },
  };
}
const watched = (events: SessionEvent[]) => ({
  id: sessionId,
  workspace_id: workspaceId,
  root_operator_id: userId,
  schedule_maker_id: null,
  operator_id: userId,
  shared_with_workspace: false,
  status: 'running' as const,
  last_event_seq: events.at(-1)?.seq ?? 0,
  last_record: '',
  live_text: null,
});
const never = { checkMs: 60_000, heartbeatMs: 60_000 };
const options = (more: object = {}) => ({
  sessionId,
  after: 0,
  timing: never,
  signal: new AbortController().signal,
  ...more,
});

async function collect(stream: AsyncGenerator<string>): Promise<string[]> {
  const frames: string[] = [];
  for await (const frame of stream) {
    frames.push(frame);
  }
  return frames;
}
const idsOf = (frames: string[]) => frames.flatMap((frame) => /^id: (\d+)/.exec(frame)?.[1] ?? []);

afterEach(() => void jest.useRealTimers());

describe('the stream', () => {
  it('sends each event on one line, so that no text breaks out of its frame', async () => {
    const frames = await collect(streamSessionEvents(source([event(1), event(2, 'failed')]), options()));
    expect(frames.slice(1)).toHaveLength(2);
    expect(frames[1]?.split('\n')).toHaveLength(4);
    expect(idsOf(frames)).toEqual(['1', '2']);
  });

  it('ends after a terminal status, even when more would follow', async () => {
    const events = [event(1), event(2, 'running'), event(3, 'completed'), event(4)];
    const from = source(events);
    expect(idsOf(await collect(streamSessionEvents(from, options())))).toEqual(['1', '2', '3']);
    expect(from.wakes.size).toBe(0);
  });

  it('misses no announcement between reading and waiting', async () => {
    const events = [event(1)];
    let rang = false;
    const from = source(events);
    const { sessions } = from.reads;
    from.reads.sessions = async (ids) => {
      const found = await sessions(ids);
      if (ids.length > 0 && !rang) {
        rang = true;
        events.push(event(2, 'completed'));
        from.ring();
      }
      return found;
    };
    expect(idsOf(await collect(streamSessionEvents(from, options())))).toEqual(['1', '2']);
  });

  it('ends immediately when the reader disconnects, and unsubscribes', async () => {
    const from = source([event(1)]);
    const abort = new AbortController();
    const stream = streamSessionEvents(from, options({ signal: abort.signal }));
    setTimeout(() => abort.abort(), 20);
    expect(idsOf(await collect(stream))).toEqual(['1']);
    expect(from.wakes.size).toBe(0);
  });

  it('ends when the right to read is lost, before it sends anything more', async () => {
    const events = [event(1), event(2), event(3), event(4)];
    let checks = 0;
    // Asked once before the first round.
    const from = source(events, () => ++checks <= 2);
    expect(idsOf(await collect(streamSessionEvents(from, options())))).toEqual(['1', '2']);
  });

  it('sends nothing on rights that are too old when the events arrive, but asks again', async () => {
    jest.useFakeTimers();
    let rounds = 0;
    const from = source([event(1)], () => ++rounds <= 2);
    const { events } = from.reads;
    from.reads.events = async (position) => {
      jest.advanceTimersByTime(150);
      return events(position);
    };
    const timing = { checkMs: 100, heartbeatMs: 60_000 };
    expect(idsOf(await collect(streamSessionEvents(from, options({ timing }))))).toEqual([]);
    expect(rounds).toBe(3);
  });

  it('keeps the connection alive while nothing happens', async () => {
    const abort = new AbortController();
    const timing = { checkMs: 5, heartbeatMs: 20 };
    let heartbeats = 0;
    for await (const frame of streamSessionEvents(source([]), options({ timing, signal: abort.signal }))) {
      heartbeats += frame === ': still here\n\n' ? 1 : 0;
      if (heartbeats === 3) {
        abort.abort();
      }
    }
    expect(heartbeats).toBe(3);
  });
});
