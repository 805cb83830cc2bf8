import { expect, it } from '@jest/globals';
import { createPace } from '../../../../sidecar/pace/pace.ts';

it('passes a burst immediately, then throttles to an even rate, then refuses', () => {
  let nowMs = 1000;
  const pace = createPace({ perMinute: 60, maxWaitMs: 2500 }, () => nowMs);
  const take = (times: number) => Array.from({ length: times }, () => pace.take());
  expect(take(60)).toEqual(Array.from({ length: 60 }, () => 0));
  expect(take(4)).toEqual([1000, 2000, null, null]);
  // Refused calls took no slot: two waited, and the third second is free again.
  nowMs += 3000;
  expect(take(2)).toEqual([0, 1000]);
  nowMs += 3_600_000;
  expect(take(61)).toEqual([...Array.from({ length: 60 }, () => 0), 1000]);
});

it('takes several turns together, or none of them', () => {
  const pace = createPace({ perMinute: 60, maxWaitMs: 2500 }, () => 1000);
  expect([pace.take(59), pace.take(3), pace.take(2), pace.take(), pace.take()]).toEqual([
    0,
    2000,
    null,
    null,
    null,
  ]);
  const other = createPace({ perMinute: 60, maxWaitMs: 2500 }, () => 1000);
  expect([other.take(63), other.take(60), other.take(2)]).toEqual([null, 0, 2000]);
});
