import { describe, expect, it } from '@jest/globals';
import { parseCron, shortestGapSeconds } from '../../../contract/cron.ts';

const timesOf = (text: string) => {
  const { times, problem } = parseCron(text);
  if (times === null) {
    throw new Error(problem);
  }
  return times;
};

describe('a cron expression', () => {
  it.each([
    ['0 6 * * *', { minutes: [0], hours: [6] }],
    ['*/20 * * * *', { minutes: [0, 20, 40] }],
    ['5/20 * * * *', { minutes: [5, 25, 45] }],
    ['10-20/5 * * * *', { minutes: [10, 15, 20] }],
    ['0,30,0 9-11 * * *', { minutes: [0, 30], hours: [9, 10, 11] }],
    ['0 0 1 JAN,jul *', { daysOfMonth: [1], months: [1, 7] }],
    ['0 0 * * MON-FRI', { daysOfWeek: [1, 2, 3, 4, 5] }],
    ['0 0 * * MON-SUN', { daysOfWeek: [0, 1, 2, 3, 4, 5, 6] }],
    ['0 0 * * FRI-SUN', { daysOfWeek: [0, 5, 6] }],
    ['0 0 * * SUN-TUE', { daysOfWeek: [0, 1, 2] }],
    ['0 0 * * sun-sun', { daysOfWeek: [0] }],
    ['@daily', { minutes: [0], hours: [0], eitherDay: false }],
    [' @Midnight ', { minutes: [0], hours: [0] }],
    ['@hourly', { minutes: [0], hours: Array.from({ length: 24 }, (_, hour) => hour) }],
    ['@weekly', { minutes: [0], hours: [0], daysOfWeek: [0] }],
    ['@monthly', { minutes: [0], hours: [0], daysOfMonth: [1] }],
    ['@yearly', { daysOfMonth: [1], months: [1] }],
    ['@annually', { daysOfMonth: [1], months: [1] }],
    ['0 0 * * 7', { daysOfWeek: [0] }],
    ['0 0 * * 5-7', { daysOfWeek: [0, 5, 6] }],
    ['0 0 * * 6/2', { daysOfWeek: [6] }],
    ['  0\t0 29  2 * ', { daysOfMonth: [29], months: [2] }],
  ])('%s is read as %j', (text, expected) => {
    expect(timesOf(text)).toMatchObject(expected);
  });

  it.each([
    ['0 0 13 * FRI', true],
    ['0 0 13 * *', false],
    ['0 0 * * FRI', false],
    ['0 0 */2 * FRI', false],
  ])('%s fires on a day that fits either field: %s', (text, eitherDay) => {
    expect(timesOf(text).eitherDay).toBe(eitherDay);
  });

  it.each([
    ['', 'must have five fields'],
    ['* * * *', 'must have five fields'],
    ['0 0 * * * *', 'must have five fields'],
    ['@reboot', 'names no time: the words are @hourly, @daily'],
    ['@constructor', 'names no time'],
    ['@daily 5', 'names no time'],
    ['@every 1h', 'names no time'],
    [
      '0 0 * * monday',
      'the day of the week "monday" must be from 0 to 7, or a name of three letters such as mon',
    ],
    ['0 0 1 june *', 'the month "june" must be from 1 to 12, or a name of three letters such as feb'],
    ['0 0 * * SAT-FRI', 'the day of the week "SAT-FRI" goes backwards'],
    ['TZ=UTC 0 0 * * *', 'must have five fields'],
    ['60 * * * *', 'the minute "60" must be from 0 to 59'],
    ['-1 * * * *', 'the minute "" must be from 0 to 59'],
    ['* 24 * * *', 'the hour "24" must be from 0 to 23'],
    ['* * 0 * *', 'the day of the month "0" must be from 1 to 31'],
    ['* * * 13 *', 'the month "13" must be from 1 to 12'],
    ['* * * FOO *', 'the month "FOO" must be from 1 to 12'],
    ['* * * * 8', 'the day of the week "8" must be from 0 to 7'],
    ['5-1 * * * *', 'the minute "5-1" goes backwards'],
    ['*/0 * * * *', 'the minute "*/0" is not'],
    ['*/ * * * *', 'the minute "*/" is not'],
    ['1-2-3 * * * *', 'the minute "1-2-3" is not a range'],
    ['1,,2 * * * *', 'the minute "" is not'],
    ['0 0 L * *', 'the day of the month "L" must be'],
    ['0 0 * * 1#2', 'the day of the week "1#2" must be'],
    ['0 0 30 2 *', 'never fires'],
    ['0 0 31 2,4,6,9,11 *', 'never fires'],
  ])('"%s" is refused: %s', (text, problem) => {
    expect(parseCron(text)).toMatchObject({ times: null, problem: expect.stringContaining(problem) });
  });

  it.each([
    ['* * * * *', 60],
    ['*/15 * * * *', 900],
    ['0,1 0 * * *', 60],
    ['0 * * * *', 3600],
    ['0 6 * * *', 86_400],
    ['59 23,0 * * *', 3600],
    ['0 0,23 * * *', 3600],
  ])('%s has at least %i s between two times', (text, seconds) => {
    expect(shortestGapSeconds(timesOf(text))).toBe(seconds);
  });
});
