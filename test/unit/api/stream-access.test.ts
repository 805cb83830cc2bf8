/** On what a stream sends: never on rights that were asked for longer ago than `checkMs`. */
import { randomUUID } from 'node:crypto';
import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { Access, type StreamSource } from '../../../api/event-stream/access.ts';
import { untilNextCheckMs } from '../../../api/event-stream/stream-timing.ts';

function source(readRoles: StreamSource['reads']['roles']) {
  let change: () => void = () => undefined;
  const given: StreamSource = {
    viewer: { userId: randomUUID(), signInId: randomUUID() },
    reads: {
      roles: readRoles,
      sessions: async () => new Map(),
      events: async () => [],
      liveText: async () => null,
    },
    feed: {
      subscribe: () => () => undefined,
      subscribeWorkspace: () => () => undefined,
      subscribeUser(_id, wake) {
        change = wake;
        return () => undefined;
      },
    },
  };
  return { given, change: () => change() };
}

afterEach(() => void jest.useRealTimers());

describe('what was read of a viewer’s rights', () => {
  it('is as old as the question, however long the answer took', async () => {
    jest.useFakeTimers();
    const slow = source(async () => {
      jest.advanceTimersByTime(120);
      return new Map();
    });
    const access = new Access(slow.given, { validMs: 100, ring: () => undefined });
    expect(access.isStale()).toBe(true);
    await access.read([]);
    expect(access.isStale()).toBe(true);
  });

  it('is of no use when a change was announced, also while it was read', async () => {
    let rings = 0;
    const changing = source(async () => {
      changing.change();
      return new Map();
    });
    const access = new Access(changing.given, {
      validMs: 60_000,
      ring: () => {
        rings += 1;
      },
    });
    await access.read([]);
    expect([access.isStale(), rings]).toEqual([true, 1]);
  });
});

describe('the next check of a stream', () => {
  it('comes within the interval, at one of eight moments that all streams have in common', () => {
    const moments = new Set<number>();
    for (let openedMs = 5000; openedMs < 7000; openedMs += 0.7) {
      const waitMs = untilNextCheckMs({ checkMs: 2000 }, openedMs);
      expect(waitMs).toBeGreaterThan(2000 - 250 - 1);
      expect(waitMs).toBeLessThanOrEqual(2000);
      moments.add(Math.round(openedMs + waitMs) % 2000);
    }
    expect(moments.size).toBe(8);
  });
});
