/** Names that are stored as readers see them. */
import { describe, expect, it } from '@jest/globals';
import { cleanedName, firstShown, shownName } from '../../../contract/shown-name.ts';

describe('a cleaned name', () => {
  it.each([
    ['scribe', 'scribe'],
    ['  Two\u00a0\u2003words ', 'Two words'],
    ['e\u0301t\u00e9', '\u00e9t\u00e9'],
    ['scr\u200bi\u2060be\ufeff', 'scribe'],
    ['\u202escribe\u202c', 'scribe'],
    ['\u200fscribe\u200e', 'scribe'],
    ['scribe\u{e0041}', 'scribe'],
    ['scribe\ue000\ufffc', 'scribe'],
    ['line\nbreak', 'line break'],
    ['می\u200cخواهم', 'می\u200cخواهم'],
    ['ක්\u200dෂ', 'ක්\u200dෂ'],
    ['\u200cscribe\u200d', 'scribe'],
    ['scribe \u200d2', 'scribe 2'],
    [`e${'\u0323'.repeat(40)}`, '\u1eb9\u0323\u0323\u0323'],
    ['日本語', '日本語'],
    ['', ''],
    ['   ', ''],
    ['\u200b\u200d\u2060', ''],
    ['\u2800\u3164\uffa0\u115f', ''],
    ['\u0301', ''],
    ['\ud800', '\ufffd'],
  ])('%j becomes %j', (text, expected) => {
    expect(cleanedName(text)).toBe(expected);
    expect(cleanedName(expected)).toBe(expected);
  });
});

describe('a name that somebody types', () => {
  it.each([
    ['', ''],
    ['x'.repeat(101), ''],
    ['a\u0000b', 'control characters'],
    ['a\tb', 'control characters'],
    ['a\u2028b', 'control characters'],
    [' \u200b ', 'must show something'],
    ['\u2800', 'must show something'],
    ['\ufb1d'.repeat(60), 'at most 100 characters'],
  ])('is refused: %j', (text, message) => {
    expect(shownName.safeParse(text).error?.issues).toMatchObject([
      { message: expect.stringContaining(message) },
    ]);
  });

  it('becomes the cleaned one', () => {
    expect(shownName.parse(' scr\u200bibe ')).toBe('scribe');
  });
});

it('the first that shows something is a person’s name', () => {
  expect(firstShown([undefined, '', ' \u200b', 'ida', 'other'])).toBe('ida');
  expect(firstShown(['\u202eIda'])).toBe('Ida');
  expect(firstShown(['x'.repeat(300)])).toHaveLength(100);
});
