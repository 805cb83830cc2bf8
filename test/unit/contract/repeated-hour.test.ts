/**
 * Which runs around a change of the clock are left out; that Temporal begins them is in
 * test/integration/worker/schedule-times.
 */
import { expect, it } from '@jest/globals';
import { isRepeated } from '../../../contract/repeated-hour.ts';

const cron = (expression: string, time_zone: string) => ({
  spec: { kind: 'cron' as const, expression },
  time_zone,
});
const run = (scheduledAt: string, ranAnHourBefore: boolean) => ({ scheduledAt, ranAnHourBefore });
const newYork = cron('30 1 * * *', 'America/New_York');

it('the second one of a time that comes twice is', () => {
  expect(isRepeated(newYork, run('2027-11-07T05:30:00Z', false))).toBe(false);
  expect(isRepeated(newYork, run('2027-11-07T06:30:00Z', true))).toBe(true);
  expect(isRepeated(cron('30 * * * *', 'America/New_York'), run('2027-11-07T06:30:00Z', true))).toBe(true);
});

it('one that had no first one is not', () => {
  expect(isRepeated(newYork, run('2027-11-07T06:30:00Z', false))).toBe(false);
  expect(isRepeated(cron('30 2 * * *', 'Europe/Berlin'), run('2027-10-31T01:30:00Z', false))).toBe(false);
});

it('one at a time that the expression does not name is', () => {
  const berlin = cron('0 1 * * *', 'Europe/Berlin');
  expect(isRepeated(berlin, run('2027-10-30T23:00:00Z', false))).toBe(false);
  expect(isRepeated(berlin, run('2027-10-31T00:00:00Z', true))).toBe(true);
});

it('days count by the clock of the zone, and either field of days where both are given', () => {
  const sundays = cron('30 1 1 * SUN', 'America/New_York');
  expect(isRepeated(sundays, run('2027-11-07T05:30:00Z', false))).toBe(false);
  expect(isRepeated(cron('30 1 1 * MON', 'America/New_York'), run('2027-11-07T05:30:00Z', false))).toBe(true);
  expect(isRepeated(cron('30 1 * 10 *', 'America/New_York'), run('2027-11-07T05:30:00Z', false))).toBe(true);
});

it('nothing on any other day, no interval, and no run that a person asked for is', () => {
  expect(isRepeated(newYork, run('2027-11-08T06:30:00Z', true))).toBe(false);
  expect(isRepeated(newYork, run('2027-11-09T20:00:00Z', true))).toBe(false);
  expect(isRepeated(newYork, run('2027-11-07T06:12:34Z', true))).toBe(false);
  const interval = {
    spec: { kind: 'interval' as const, every_seconds: 3600 },
    time_zone: 'America/New_York',
  };
  expect(isRepeated(interval, run('2027-11-07T06:30:00Z', true))).toBe(false);
});
