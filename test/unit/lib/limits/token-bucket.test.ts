import { expect, it } from '@jest/globals';
import { createTokenBucket } from '../../../../lib/limits/token-bucket.ts';

it('passes a burst immediately, then throttles to an even rate, then refuses', () => {
  let nowMs = 1000;
  const bucket = createTokenBucket({ perMinute: 60, maxWaitMs: 2500 }, () => nowMs);
  const take = (times: number) => Array.from({ length: times }, () => bucket.take());
  expect(take(60)).toEqual(Array.from({ length: 60 }, () => 0));
  expect(take(4)).toEqual([1000, 2000, null, null]);
  // Refused calls took no token: two waited, and the third second is free again.
  nowMs += 3000;
  expect(take(2)).toEqual([0, 1000]);
  nowMs += 3_600_000;
  expect(take(61)).toEqual([...Array.from({ length: 60 }, () => 0), 1000]);
});

it('takes several tokens together, or none of them', () => {
  const bucket = createTokenBucket({ perMinute: 60, maxWaitMs: 2500 }, () => 1000);
  expect([bucket.take(59), bucket.take(3), bucket.take(2), bucket.take(), bucket.take()]).toEqual([
    0,
    2000,
    null,
    null,
    null,
  ]);
  const other = createTokenBucket({ perMinute: 60, maxWaitMs: 2500 }, () => 1000);
  expect([other.take(63), other.take(60), other.take(2)]).toEqual([null, 0, 2000]);
});

it('says how long it is until tokens could be taken, and takes none', () => {
  let nowMs = 1000;
  const bucket = createTokenBucket({ perMinute: 60 }, () => nowMs);
  expect([bucket.untilMs(60), bucket.untilMs(61), bucket.take(60)]).toEqual([0, 1000, 0]);
  expect([bucket.untilMs(), bucket.untilMs(3), bucket.take()]).toEqual([1000, 3000, null]);
  nowMs += 1000;
  expect([bucket.untilMs(), bucket.take(), bucket.untilMs()]).toEqual([0, 0, 1000]);
});

it('is in debt for what has already happened, by a full bucket at most', () => {
  let nowMs = 1000;
  const bucket = createTokenBucket({ perMinute: 60 }, () => nowMs);
  for (let time = 0; time < 500; time += 1) {
    bucket.charge();
  }
  expect(bucket.untilMs()).toBe(61_000);
  nowMs += 61_000;
  expect(bucket.take()).toBe(0);
});

it('gives a whole burst at any rate', () => {
  for (const perMinute of [1, 7, 11, 30, 999, 4_194_303]) {
    const bucket = createTokenBucket({ perMinute }, () => 1000);
    const parts = Math.min(perMinute, 999);
    const taken = Array.from({ length: parts }, () => bucket.take(Math.floor(perMinute / parts)));
    expect(new Set(taken)).toEqual(new Set([0]));
    expect(bucket.take(perMinute)).toBeNull();
  }
});
