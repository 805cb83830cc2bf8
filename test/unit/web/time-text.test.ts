import { expect, it } from '@jest/globals';
import { minutesText, relativeTime } from '../../../web/src/text/time-text.ts';

it('rounds the distance of a future time', () => {
  const now = Date.parse('2026-01-01T12:00:00Z');
  const inTime = (seconds: number) => relativeTime(new Date(now + seconds * 1000).toISOString(), now);
  expect([24 * 3600 - 1, 12 * 3600, 3599, 1740, 59.6].map(inTime)).toEqual([
    'tomorrow',
    'in 12 hours',
    'in 1 hour',
    'in 29 minutes',
    'in 1 minute',
  ]);
  expect([-24 * 3600 + 1, -3599, -59.6].map(inTime)).toEqual([
    '23 hours ago',
    '59 minutes ago',
    '59 seconds ago',
  ]);
});

it('shows the range of minutes, or one minute when both are the same', () => {
  const [first, last] = ['2026-01-01T12:05:00Z', '2026-01-01T12:09:00Z'];
  expect(minutesText(first, first)).toMatch(/^at \d\d:\d5$/);
  expect(minutesText(first, last)).toMatch(/^from \d\d:\d5 to \d\d:\d9$/);
});
