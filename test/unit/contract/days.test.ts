/** The days that a person's first page counts by. */
import { describe, expect, it } from '@jest/globals';
import { lastDays } from '../../../contract/days.ts';

const startsOf = (zone: string, now: string, count = 3) =>
  lastDays(count, zone, Date.parse(now)).map(
    ({ date, startMs }) => `${date} ${new Date(startMs).toISOString()}`,
  );

describe('the last days', () => {
  it('end with that of now, by the clock of the zone', () => {
    expect(startsOf('UTC', '2026-03-01T00:00:00Z')).toEqual([
      '2026-02-27 2026-02-27T00:00:00.000Z',
      '2026-02-28 2026-02-28T00:00:00.000Z',
      '2026-03-01 2026-03-01T00:00:00.000Z',
    ]);
    expect(startsOf('Pacific/Kiritimati', '2026-11-30T10:00:00Z', 1)).toEqual([
      '2026-12-01 2026-11-30T10:00:00.000Z',
    ]);
    expect(startsOf('Asia/Kathmandu', '2026-11-30T18:14:59Z', 1)).toEqual([
      '2026-11-30 2026-11-29T18:15:00.000Z',
    ]);
  });

  it('are 23 or 25 hours long where a clock is changed', () => {
    expect(startsOf('Europe/Berlin', '2026-03-30T12:00:00Z')).toEqual([
      '2026-03-28 2026-03-27T23:00:00.000Z',
      '2026-03-29 2026-03-28T23:00:00.000Z',
      '2026-03-30 2026-03-29T22:00:00.000Z',
    ]);
    expect(startsOf('Europe/Berlin', '2026-10-26T12:00:00Z', 2)).toEqual([
      '2026-10-25 2026-10-24T22:00:00.000Z',
      '2026-10-26 2026-10-25T23:00:00.000Z',
    ]);
  });

  it('begin when the clock first shows them, where it has no midnight', () => {
    expect(startsOf('Africa/Cairo', '2026-04-24T12:00:00Z', 1)).toEqual([
      '2026-04-24 2026-04-23T22:00:00.000Z',
    ]);
  });
});
