import { describe, expect, it } from '@jest/globals';
import { nextRunMs } from '../../../contract/next-run.ts';

const nextAfter = (at: string, expression: string, timeZone = 'UTC'): string | null => {
  const next = nextRunMs({ kind: 'cron', expression }, timeZone, Date.parse(at));
  return next === null ? null : new Date(next).toISOString();
};

describe('the next run of a schedule', () => {
  it.each([
    ['2026-11-30T10:00:00Z', '0 12 * * *', 'UTC', '2026-11-30T12:00:00.000Z'],
    ['2026-11-30T12:00:00Z', '0 12 * * *', 'UTC', '2026-12-01T12:00:00.000Z'],
    ['2026-11-30T12:00:30Z', '*/15 * * * *', 'UTC', '2026-11-30T12:15:00.000Z'],
    ['2026-11-27T23:00:00Z', '30 7 * * MON-FRI', 'UTC', '2026-11-30T07:30:00.000Z'],
    ['2026-11-30T00:00:00Z', '0 0 29 2 *', 'UTC', '2028-02-29T00:00:00.000Z'],
    ['2026-11-30T00:00:00Z', '0 0 29 2 0', 'UTC', '2027-02-07T00:00:00.000Z'],
    ['2026-11-30T00:00:00Z', '0 0 29 2 */7', 'UTC', '2032-02-29T00:00:00.000Z'],
    // The day is that of the zone.
    ['2026-11-30T23:30:00Z', '0 9 1 12 *', 'Asia/Tokyo', '2026-12-01T00:00:00.000Z'],
    ['2026-07-01T00:00:00Z', '0 9 * * *', 'Europe/Berlin', '2026-07-01T07:00:00.000Z'],
    ['2026-12-01T00:00:00Z', '0 9 * * *', 'Europe/Berlin', '2026-12-01T08:00:00.000Z'],
  ])('after %s, by %j in %s, is %s', (at, expression, zone, expected) => {
    expect(nextAfter(at, expression, zone)).toBe(expected);
  });

  it('leaves out a time that summer time skips, and takes the first of one that comes twice', () => {
    expect(nextAfter('2026-03-28T12:00:00Z', '30 2 * * *', 'Europe/Berlin')).toBe('2026-03-30T00:30:00.000Z');
    expect(nextAfter('2026-10-24T12:00:00Z', '30 2 * * *', 'Europe/Berlin')).toBe('2026-10-25T00:30:00.000Z');
    expect(nextAfter('2026-10-25T00:30:00Z', '30 2 * * *', 'Europe/Berlin')).toBe('2026-10-26T01:30:00.000Z');
  });

  it('comes by an interval at its multiples since 1970', () => {
    const next = (every_seconds: number) =>
      nextRunMs({ kind: 'interval', every_seconds }, 'UTC', Date.parse('2026-11-30T10:00:00Z'));
    expect(next(3600)).toBe(Date.parse('2026-11-30T11:00:00Z'));
    expect(next(7)).toBe(Math.floor(Date.parse('2026-11-30T10:00:00Z') / 7000 + 1) * 7000);
  });
});
