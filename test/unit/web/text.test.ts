import { describe, expect, it } from '@jest/globals';
import { durationText, relativeTime } from '../../../web/src/text/time-text.ts';
import { visiblePieces } from '../../../web/src/text/visible-text.ts';

const marks = (text: string) => visiblePieces(text).flatMap(({ hidden }) => hidden ?? []);

describe('untrusted text', () => {
  it.each([
    [
      'a right-to-left override',
      'pay \u202Eevil\u202C',
      ['U+202E right-to-left override', 'U+202C pop directional formatting'],
    ],
    ['an isolate', '\u2067x\u2069', ['U+2067 right-to-left isolate', 'U+2069 pop directional isolate']],
    ['a zero-width space', 'a\u200Bb', ['U+200B zero-width space']],
    ['a no-break space', 'a\u00A0b', ['U+00A0 no-break space']],
    [
      'control characters',
      'a\u0000\u001Bb\r',
      ['U+0000 control character', 'U+001B control character', 'U+000D control character'],
    ],
    ['letters of tags, which no font draws', 'a\u{E0041}', ['U+E0041 tag character']],
    [
      'a filler that looks like nothing',
      '\u3164\uFFA0',
      ['U+3164 invisible character', 'U+FFA0 invisible character'],
    ],
    ['a mark that says where an annotation begins', '\uFFF9x', ['U+FFF9 invisible character']],
    ['half a surrogate pair', 'a\uD800', ['U+D800 half of a surrogate pair']],
    ['a selector of another shape', 'a\uFE0F', ['U+FE0F variation selector']],
    ['a character of private use', '\uE000', ['U+E000 private-use character']],
    ['a wide space', 'a\u2003b\u3000', ['U+2003 unusual space', 'U+3000 ideographic space']],
    ['a joiner that nothing shows', 'a\u034Fb', ['U+034F combining grapheme joiner']],
  ])('shows %s', (_what, text, expected) => {
    expect(marks(text)).toEqual(expected);
  });

  it('leaves plain text of any language, line breaks and tabs as they are', () => {
    for (const text of ['Grüße, мир, 世界\n\tZeile <b>', 'مرحبا', '🎉', '']) {
      expect(marks(text)).toEqual([]);
    }
  });

  it('shows a repeated one once, with its count', () => {
    const pieces = visiblePieces(`a${'\u200B'.repeat(65_536)}\u200Eb\u200B`);
    expect(pieces.map(({ hidden, count }) => [hidden?.slice(0, 6) ?? null, count])).toEqual([
      [null, 1],
      ['U+200B', 65_536],
      ['U+200E', 1],
      [null, 1],
      ['U+200B', 1],
    ]);
  });

  it('loses nothing', () => {
    const text = 'a\u202Eb\u200B\u{E0041}c';
    expect(
      visiblePieces(text)
        .map((piece) => piece.text)
        .join(''),
    ).toBe(text);
  });
});

it('says how long ago a time is, and how long something took', () => {
  const now = Date.parse('2026-01-01T12:00:00Z');
  expect(relativeTime('2026-01-01T11:58:30Z', now)).toBe('1 minute ago');
  expect(relativeTime('2026-01-02T13:00:00Z', now)).toBe('tomorrow');
  expect(relativeTime('2026-01-01T12:00:00Z', now)).toBe('now');
  expect([850, 1234, 200_000].map(durationText)).toEqual(['850 ms', '1.2 s', '3 min 20 s']);
});
