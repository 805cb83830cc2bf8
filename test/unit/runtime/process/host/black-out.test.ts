import { describe, expect, it } from '@jest/globals';
import { createBlackOut } from '../../../../../runtime/process/host/output/black-out.ts';
import { blackOutCases } from '../../../../support/black-out-cases.ts';
import { seededRandom } from '../../../../support/seeded-random.ts';

/** All that is shown of a text that arrives in pieces of these sizes, in turn. */
function shown(values: readonly string[], text: string, sizes: readonly number[] = [text.length]): string {
  const blackOut = createBlackOut(values);
  const bytes = Buffer.from(text);
  const pieces: Buffer[] = [];
  for (let at = 0, turn = 0; at < bytes.length; turn += 1) {
    const size = Math.max(1, sizes[turn % sizes.length] ?? 1);
    pieces.push(blackOut.push(bytes.subarray(at, at + size)));
    at += size;
  }
  return Buffer.concat([...pieces, blackOut.end()]).toString('utf8');
}

describe('blacking secrets out', () => {
  it.each(blackOutCases)('$name', ({ values, text, expected }) => {
    expect(shown(values, text)).toBe(expected);
    expect(shown(values, text, [1 + Math.floor(text.length / 500)])).toBe(expected);
    expect(shown(values, text, [3, 1, 7])).toBe(expected);
  });

  it('leaves other text as it is, however it arrives', () => {
    const text = 'Listening on port 8080 with "quotes", 50 % and \\n in it\n'.repeat(50);
    expect(shown(['unrelated-value'], text, [1, 13])).toBe(text);
    expect(shown([], text)).toBe(text);
    expect(shown([''], text)).toBe(text);
  });

  it('keeps back a beginning until it is known how it goes on', () => {
    const blackOut = createBlackOut(['correct-horse']);
    expect(blackOut.push(Buffer.from('a correct-h')).toString()).toBe('a ');
    expect(blackOut.push(Buffer.from('ouse')).toString()).toBe('correct-house');
    expect(blackOut.push(Buffer.from(' correct')).toString()).toBe(' ');
    expect(blackOut.push(Buffer.from('-horse')).toString()).toBe('[secret]');
  });

  it('shows no part of a value that is cut off at the end', () => {
    expect(shown(['correct-horse-battery'], 'token correct-horse-ba')).toBe('token [secret]');
  });

  it('finds random values in all forms between random text', () => {
    const random = seededRandom(7);
    for (let round = 0; round < 100; round += 1) {
      const value = Array.from({ length: 5 + random.below(60) }, () =>
        String.fromCharCode(33 + random.below(94)),
      ).join('');
      const shift = 'xyz'.slice(0, random.below(3));
      const written = [
        value,
        encodeURIComponent(value),
        JSON.stringify(value).slice(1, -1),
        Buffer.from(value).toString('hex'),
        Buffer.from(shift + value + shift).toString('base64'),
      ];
      for (const form of written) {
        const text = shown([value], `before ${form} after`, [1 + random.below(40)]);
        expect(text).toContain('[secret]');
        expect(text).not.toContain(value);
        expect(text.length).toBeLessThan('before  after[secret]'.length + 12);
      }
    }
  });

  it('takes time in proportion to the text, also when it is all beginnings of a long value', () => {
    const value = `${'0123456789abcdef'.repeat(4000)}!`;
    const text = `${'0123456789abcde'.repeat(4000)}.`;
    expect(shown([value], text, [2048]) === text).toBe(true);
  });
});
