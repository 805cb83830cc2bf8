import { describe, expect, it } from '@jest/globals';
import { durationWords, parseDuration } from '../../../web/src/text/duration-words.ts';

describe('a length of time in words', () => {
  it.each([
    ['2 h 30 min', 9000],
    ['90m', 5400],
    ['1 day, 2 hours', 93_600],
    ['1,5 h', 5400],
    ['0.5d', 43_200],
    [' 45 S ', 45],
    ['0,125 h', 450],
    ['1.25 h', 4500],
  ])('%j is %i s', (text, seconds) => {
    expect(parseDuration(text)).toBe(seconds);
  });

  it.each([
    '',
    '90',
    '2 h 30',
    'soon',
    '-5 min',
    '3 constructor',
    '5 months',
    '1,000 s',
    '2.500 h',
    '1e9 h',
    `${'9'.repeat(20)} w`,
  ])('%j is none', (text) => {
    expect(parseDuration(text)).toBeNull();
  });

  it('reads back as it was', () => {
    for (const seconds of [0, 1, 59, 60, 90, 3600, 3661, 86_400, 90_061, 604_800]) {
      expect(parseDuration(durationWords(seconds))).toBe(seconds);
    }
    expect(durationWords(0.5)).toBe('0.5 s');
    expect([90, 3600, 172_800].map(durationWords)).toEqual(['1 min 30 s', '1 h', '2 days']);
  });
});
