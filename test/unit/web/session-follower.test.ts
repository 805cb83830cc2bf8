import { afterEach, expect, it, jest } from '@jest/globals';
import { ApiFailure } from '../../../web/src/api/failure.ts';
import { SessionFollower } from '../../../web/src/api/stream/session-follower.ts';
import { eventually } from '../../support/eventually.ts';

afterEach(() => void jest.useRealTimers());

interface Event {
  seq: number;
  last?: boolean;
}

const pageSize = 3;

/** A session whose events are `stored`, and a tab that follows it. */
function tab(stored: Event[], fail?: () => unknown, firstPauseMs = 60_000) {
  const seen: number[] = [];
  const states: string[] = [];
  const watched: (number | null)[] = [];
  const fetched: number[] = [];
  const follower = new SessionFollower<Event>({
    async fetchEvents(after) {
      fetched.push(after);
      const failure = fail?.();
      if (failure !== undefined) {
        throw failure;
      }
      return stored.filter(({ seq }) => seq > after).slice(0, pageSize);
    },
    pageSize,
    isLast: ({ last }) => last === true,
    onEvents: (events) => seen.push(...events.map(({ seq }) => seq)),
    onState: (state) => states.push(state),
    watch: (after) => watched.push(after),
    unwatch: () => watched.push(null),
    timing: { firstPauseMs, longestPauseMs: firstPauseMs, refusedPauseMs: firstPauseMs },
  });
  follower.start();
  return { follower, seen, states, watched, fetched };
}

const events = (count: number): Event[] => Array.from({ length: count }, (_, at) => ({ seq: at + 1 }));

it('reads past events page by page, then takes new ones', async () => {
  const { follower, seen, watched, fetched } = tab(events(7));
  await eventually(() => expect(watched).toEqual([7]));
  expect(fetched).toEqual([0, 3, 6]);
  follower.take({ seq: 8 });
  expect(seen).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
});

it('begins with the newest in one request, and reads on from there', async () => {
  const stored = events(7);
  const fetched: (number | 'newest')[] = [];
  const seen: number[] = [];
  const watched: number[] = [];
  const follower = new SessionFollower<Event>({
    async fetchEvents(after) {
      fetched.push(after);
      return stored.filter(({ seq }) => seq > after).slice(0, pageSize);
    },
    async fetchNewest() {
      fetched.push('newest');
      return stored.slice(-pageSize);
    },
    pageSize,
    isLast: () => false,
    onEvents: (some) => seen.push(...some.map(({ seq }) => seq)),
    onState: () => undefined,
    watch: (after) => watched.push(after),
    unwatch: () => undefined,
  });
  follower.start();
  await eventually(() => expect(watched).toEqual([7]));
  stored.push({ seq: 8 }, { seq: 9 });
  follower.take({ seq: 9 });
  await eventually(() => expect(seen).toEqual([5, 6, 7, 8, 9]));
  expect(fetched).toEqual(['newest', 7]);
});

it('drops known events, and reads missing ones, each once', async () => {
  const stored = events(2);
  const { follower, seen, watched } = tab(stored);
  await eventually(() => expect(watched).toEqual([2]));
  stored.push({ seq: 3 }, { seq: 4 }, { seq: 5 });
  follower.take({ seq: 2 });
  follower.take({ seq: 5 });
  follower.take({ seq: 3 });
  await eventually(() => expect(seen).toEqual([1, 2, 3, 4, 5]));
});

it('reads what the stream had sent before this tab joined', async () => {
  const stored = events(1);
  const { follower, seen, watched } = tab(stored);
  await eventually(() => expect(watched).toEqual([1]));
  stored.push({ seq: 2 });
  follower.isAt(2);
  await eventually(() => expect(seen).toEqual([1, 2]));
});

it('ends with the last event, and opens no stream for a session that has ended', async () => {
  const { follower, states, watched } = tab([{ seq: 1 }, { seq: 2, last: true }]);
  await eventually(() => expect(states).toEqual(['connecting', 'ended']));
  expect(watched).toEqual([null]);
  follower.catchUp();
  expect(states).toHaveLength(2);
});

it('fails permanently when the platform refuses, and retries when it could not respond', async () => {
  const answers = [
    new Error('no answer'),
    undefined,
    new ApiFailure('no', { status: 403, code: 'forbidden' }),
  ];
  const { follower, states, watched } = tab(events(1), () => answers.shift());
  await eventually(() => expect(states).toEqual(['connecting', 'reconnecting']));
  follower.catchUp();
  await eventually(() => expect(watched).toEqual([1]));
  follower.catchUp();
  await eventually(() => expect(states.at(-1)).toBe('failed'));
});

it.each([
  ['no answer', new Error('no answer')],
  ['too many requests', new ApiFailure('slow down', { status: 429, code: 'rate_limited' })],
])('retries after %s, while the stream continues', async (_what, failure) => {
  const answers = [failure, failure];
  const { states, watched } = tab(events(1), () => answers.shift(), 5);
  await eventually(() => expect(watched).toEqual([1]));
  expect(states).toEqual(['connecting', 'reconnecting', 'reconnecting']);
});

it('does not retry when nobody is signed in, or when it has been stopped', async () => {
  jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask'] });
  const signedOut = tab(events(1), () => new ApiFailure('sign in', { status: 401, code: 'x' }), 1);
  const fail = () => {
    setImmediate(() => stopped.follower.stop());
    return new Error('no answer');
  };
  const stopped = tab(events(1), fail, 50);
  await eventually(() => expect(stopped.watched).toEqual([null]));
  await jest.advanceTimersByTimeAsync(100);
  expect(signedOut.fetched).toHaveLength(1);
  expect(stopped.fetched).toHaveLength(1);
});
