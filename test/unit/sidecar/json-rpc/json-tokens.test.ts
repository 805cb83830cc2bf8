import { describe, expect, it } from '@jest/globals';
import {
  continuesCharacter,
  endOfEscape,
  endOfNumber,
  endOfPlainText,
  literalAt,
  numberAt,
} from '../../../../sidecar/json-rpc/json-tokens.ts';

describe('the tokens of JSON text', () => {
  it.each(['0', '-0', '7', '-12', '10', '0.5', '-0.50', '1e5', '1E5', '1e+5', '1.5e-05', '9'.repeat(40)])(
    'reads the number %s, whatever follows it',
    (number) => {
      for (const after of ['', ',', ']', ' ', 'x']) {
        const bytes = Buffer.from(`[${number}${after}`);
        expect(endOfNumber(bytes, 1)).toBe(1 + number.length);
        expect(numberAt(bytes, 1, 1 + number.length)).toBe(Number(number));
      }
    },
  );

  it.each(['', '-', '+1', '.5', '1.', '1.e5', '01', '-01', '00', '1e', '1e+', '1E-', 'e5', 'a', '/', ':'])(
    'reads no number in "%s"',
    (text) => {
      expect(endOfNumber(Buffer.from(text), 0)).toBe(-1);
      expect(endOfNumber(Buffer.from(`${text},`), 0)).toBe(-1);
    },
  );

  it('keeps the value of integers up to the longest that is exact in each step, and of longer ones', () => {
    for (let length = 1; length <= 20; length += 1) {
      for (const digits of ['9'.repeat(length), '1234567890'.repeat(2).slice(0, length)]) {
        for (const number of [digits, `-${digits}`]) {
          expect(numberAt(Buffer.from(number), 0, number.length)).toBe(Number(number));
        }
      }
    }
  });

  it.each(['\\"', '\\\\', '\\/', '\\b', '\\f', '\\n', '\\r', '\\t', '\\u0aF9', '\\uffff'])(
    'reads the escape %s',
    (written) => {
      expect(endOfEscape(Buffer.from(`x${written}0`), 1)).toBe(1 + written.length);
      expect(endOfEscape(Buffer.from(written), 0)).toBe(written.length);
    },
  );

  it.each([
    '\\',
    '\\x',
    '\\N',
    '\\0',
    '\\é',
    '\\u',
    '\\u12',
    '\\u123',
    '\\u123g',
    '\\u12 4',
    '\\uG123',
    '\\U1234',
    '\\\n',
  ])('reads no escape in %j', (text) => {
    expect(endOfEscape(Buffer.from(text), 0)).toBe(-1);
    expect(endOfEscape(Buffer.from(`${text},`), 0)).toBe(-1);
  });

  it('reads literals, and nothing that only begins like one', () => {
    expect(literalAt(Buffer.from('[true,'), 1)).toEqual({ value: true, length: 4 });
    expect(literalAt(Buffer.from('false'), 0)).toEqual({ value: false, length: 5 });
    expect(literalAt(Buffer.from('  null'), 2)).toEqual({ value: null, length: 4 });
    for (const text of ['', 'tru', 'True', 'nul', 'nuLl', 'fals', 'falsy', 'x']) {
      expect(literalAt(Buffer.from(text), 0)).toBeUndefined();
    }
  });

  it('passes over what stands for itself in a string', () => {
    for (let byte = 0; byte < 256; byte += 1) {
      const isSpecial = byte < 0x20 || byte === 0x22 || byte === 0x5c;
      expect(endOfPlainText(Uint8Array.of(0x61, byte, 0x61), 0, 3)).toBe(isSpecial ? 1 : 3);
      expect(continuesCharacter(byte)).toBe(byte >= 0x80 && byte < 0xc0);
    }
    expect(endOfPlainText(Buffer.from('abcd'), 1, 3)).toBe(3);
    expect(endOfPlainText(Buffer.from('abcd'), 3, 3)).toBe(3);
    expect(continuesCharacter(undefined)).toBe(false);
  });
});
