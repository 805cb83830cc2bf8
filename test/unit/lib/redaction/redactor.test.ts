import { describe, expect, it } from '@jest/globals';
import { forms } from '../../../../lib/redaction/forms.ts';
import { redactInTurns, redactWithin } from '../../../../lib/redaction/redact-in-turns.ts';
import { createRedactor, type Turns } from '../../../../lib/redaction/redactor.ts';
import { redactionCases } from '../../../support/redaction-cases.ts';
import { seededRandom } from '../../../support/seeded-random.ts';

/** All that is shown of a text that arrives in pieces of these sizes, in turn. */
function shown(values: readonly string[], text: string, sizes: readonly number[] = [text.length]): string {
  const redactor = createRedactor(values);
  const bytes = Buffer.from(text);
  const pieces: Buffer[] = [];
  for (let at = 0, turn = 0; at < bytes.length; turn += 1) {
    const size = Math.max(1, sizes[turn % sizes.length] ?? 1);
    pieces.push(redactor.push(bytes.subarray(at, at + size)));
    at += size;
  }
  return Buffer.concat([...pieces, redactor.end()]).toString('utf8');
}

describe('redacting secrets', () => {
  it.each(redactionCases)('$name', ({ values, text, expected }) => {
    expect(shown(values, text)).toBe(expected);
    expect(shown(values, text, [1 + Math.floor(text.length / 500)])).toBe(expected);
    // Some thousands of pieces are enough, however long the text is.
    const piece = Math.ceil(text.length / 5000);
    expect(shown(values, text, [3 * piece, piece, 7 * piece])).toBe(expected);
  });

  it('stops after a bounded number of comparisons, also within a value, and goes on where it was', () => {
    const values = Array.from({ length: 50 }, (_, at) => 'x'.repeat(200) + at);
    const text = `${'x'.repeat(150)} and ${'x'.repeat(200)}7`;
    const bytes = Buffer.from(text);
    const redactor = createRedactor(values);
    const turns = redactor.inTurns(bytes, { isEnd: true });
    let count = 0;
    let step = turns.next();
    for (; step.done !== true; step = turns.next()) {
      count += 1;
    }
    expect(step.value.toString()).toBe(shown(values, text));
    expect(step.value.toString()).toBe(`${'x'.repeat(150)} and [secret]`);
    expect(count).toBeGreaterThan(5);
  });

  it('lets others run meanwhile, and gives up on a text that takes too long', async () => {
    function* endless(): Turns {
      for (;;) {
        shown(['correct-horse'], 'a correct hors'.repeat(500));
        yield;
      }
    }
    let others = 0;
    const other = setInterval(() => (others += 1), 1);
    expect(await redactInTurns(endless(), 40)).toBeNull();
    clearInterval(other);
    expect(others).toBeGreaterThan(1);
    expect(redactWithin(endless(), 5)).toBeNull();
  });

  it('leaves other text unchanged, however it arrives', () => {
    const text = 'Listening on port 8080 with "quotes", 50 % and \\n in it\n'.repeat(50);
    expect(shown(['unrelated-value'], text, [1, 13])).toBe(text);
    expect(shown([], text)).toBe(text);
    expect(shown([''], text)).toBe(text);
  });

  it('holds back a possible beginning until its continuation is known', () => {
    const redactor = createRedactor(['correct-horse']);
    expect(redactor.push(Buffer.from('a correct-h')).toString()).toBe('a ');
    expect(redactor.push(Buffer.from('ouse')).toString()).toBe('correct-house');
    expect(redactor.push(Buffer.from(' correct')).toString()).toBe(' ');
    expect(redactor.push(Buffer.from('-horse')).toString()).toBe('[secret]');
  });

  it('shows no part of a value that is truncated at the end', () => {
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

  it('takes linear time, also if the text consists of beginnings of a long value', () => {
    const value = `${'0123456789abcdef'.repeat(4000)}!`;
    const text = `${'0123456789abcde'.repeat(4000)}.`;
    expect(shown([value], text, [2048]) === text).toBe(true);
  });

  it('starts each text with a new mark', () => {
    const redactor = createRedactor(['secret-a']);
    for (const text of ['secret-a', 'secret-a']) {
      expect(Buffer.concat([redactor.push(Buffer.from(text)), redactor.end()]).toString()).toBe('[secret]');
    }
  });

  it('shows nothing at all when secrets have more lines than can be searched for', () => {
    const values = Array.from({ length: 4 }, (_, value) =>
      Array.from(
        { length: 13_000 },
        (_, line) => `${(13_000 * value + line).toString(36).padStart(4, '0')}`,
      ).join('\n'),
    );
    const redactor = createRedactor(values);
    expect(redactor.showsNothing).toBe(true);
    expect(redactor.comparisons(Buffer.from('anything'))).toBe(0);
    expect(shown(values, 'anything at all', [3])).toBe('[secret]');
    expect(shown(values, '')).toBe('');
  });

  it('compares each position with a bounded number of values, whatever they begin with', () => {
    const value = Array.from({ length: 3500 }, (_, line) => `line-${line}`).join('\n');
    const redactor = createRedactor([value]);
    expect(redactor.showsNothing).toBe(false);
    expect(redactor.comparisons(Buffer.from('l'))).toBeGreaterThan(3500);
    expect(redactor.comparisons(Buffer.from('l'))).toBeLessThan(4096 * forms.length);
    expect(redactor.comparisons(Buffer.from('?'))).toBe(0);
  });

  it('lists every byte that a form of a value may begin with', () => {
    const random = seededRandom(11);
    for (let round = 0; round < 300; round += 1) {
      const value = Buffer.from(Array.from({ length: 1 + random.below(8) }, () => random.below(256)));
      for (const { match, firstBytes } of forms) {
        const tried = Array.from({ length: 256 }, (_, byte) => byte);
        const wanted = tried.filter((byte) => match(value, Buffer.of(byte), 0) !== 0);
        expect([...new Set(firstBytes(value))].sort((a, b) => a - b)).toEqual(wanted);
      }
    }
  });
});
