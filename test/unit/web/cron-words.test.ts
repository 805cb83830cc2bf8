import { describe, expect, it } from '@jest/globals';
import { cronWords, expressionOf, simpleTimesOf } from '../../../web/src/text/cron-words.ts';

describe('a cron expression in words', () => {
  it.each([
    ['30 7 * * *', 'Every day at 07:30'],
    ['30 7 * * MON-FRI', 'Weekdays at 07:30'],
    ['0 21 * * MON', 'Mondays at 21:00'],
    ['5 6 * * 0,3', 'Wednesdays and Sundays at 06:05'],
    ['0 7 1 * *', 'On the 1st of each month at 07:00'],
    ['0 7 22 * *', 'On the 22nd of each month at 07:00'],
    ['0 7 31 * *', 'On the 31st of each month that has one at 07:00'],
    ['*/15 * * * *', 'Every 15 minutes'],
    ['* * * * *', 'Every minute'],
    ['@hourly', 'Every hour at 00 past'],
    ['@weekly', 'Sundays at 00:00'],
  ])('%s is "%s"', (expression, words) => {
    expect(cronWords(expression)).toBe(words);
  });

  it.each(['0 9 1 * MON', '0 9,17 * * *', '0 9 * 1 *', '7/15 * * * *', '0 0 30 2 *', 'nonsense'])(
    '%s is not said simply',
    (expression) => {
      expect(cronWords(expression)).toBeNull();
      expect(simpleTimesOf(expression)).toBeNull();
    },
  );

  it('is built from what it says', () => {
    for (const expression of ['30 7 * * *', '30 7 * * MON-FRI', '5 6 * * WED,SUN', '0 7 31 * *']) {
      const times = simpleTimesOf(expression);
      expect(times === null ? null : expressionOf(times)).toBe(expression);
    }
  });
});
