/** What agents may send as a vector, and how it is stored. */
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  bytesToVector,
  embeddedText,
  givenVector,
  readVector,
  vectorLimits,
  vectorToBytes,
} from '../../../contract/vectors.ts';
import { checkProperty } from '../../support/property.ts';

const base64Of = (numbers: readonly number[]) => vectorToBytes(Float32Array.from(numbers)).toString('base64');
const float = fc.float({ noNaN: true, noDefaultInfinity: true });
const numbers = fc
  .array(float, { minLength: 1, maxLength: 40 })
  .filter((all) => all.some((each) => each !== 0));
const lengthOf = (vector: Float32Array) => Math.hypot(...vector);

describe('a vector', () => {
  it('has length 1 and keeps its direction, however long it was', () => {
    checkProperty(
      fc.property(numbers, (given) => {
        const read = readVector(given);
        const vector = 'vector' in read ? read.vector : new Float32Array();
        expect(vector).toHaveLength(given.length);
        expect(lengthOf(vector)).toBeCloseTo(1, 5);
        const length = Math.hypot(...given);
        for (const [at, number] of given.entries()) {
          expect(vector[at]).toBeCloseTo(number / length, 5);
        }
      }),
    );
  });

  it('is the same as a list of numbers and as base64 of its floats', () => {
    checkProperty(
      fc.property(numbers, (given) => {
        expect(readVector(base64Of(given))).toEqual(readVector(given));
      }),
    );
  });

  it('is stored as it is', () => {
    checkProperty(
      fc.property(numbers, (given) => {
        const vector = Float32Array.from(given);
        expect(bytesToVector(vectorToBytes(vector))).toEqual(vector);
      }),
    );
    expect(vectorToBytes(Float32Array.of(1)).toString('hex')).toBe('0000803f');
  });

  it.each([
    ['a list', Array.from({ length: vectorLimits.dimensions }, () => 0.5)],
    ['base64', base64Of(Array.from({ length: vectorLimits.dimensions }, () => 0.5))],
  ])('of the most dimensions is taken as %s', (_what, given) => {
    expect(givenVector.safeParse(given).success).toBe(true);
  });

  const tooMany = Array.from({ length: vectorLimits.dimensions + 1 }, () => 0.5);
  const forms = /^must be a list of 1 to 4096 finite numbers/;
  it.each<[string, unknown, RegExp]>([
    ['an empty list', [], forms],
    ['an empty text', '', forms],
    ['too many numbers', tooMany, forms],
    ['too many floats', base64Of(tooMany), forms],
    ['a megabyte of text', 'A'.repeat(1024 * 1024), forms],
    ['NaN', [1, Number.NaN], forms],
    ['a number beyond all numbers', JSON.parse('[1,1e400]'), forms],
    ['null in a list', [1, null], forms],
    ['a text in a list', ['1'], forms],
    ['an object', { 0: 1 }, forms],
    ['a number', 1, forms],
    ['no base64', 'not base64!', forms],
    ['base64 with line breaks', `${base64Of([1, 2, 3])}\n`, forms],
    ['base64url', 'AAC_vwAAAMA=', forms],
    ['base64 of bytes that are no floats', Buffer.from('abcde').toString('base64'), forms],
    ['more than a 32-bit float', [1e39], /^must have finite 32-bit floats only$/],
    ['NaN as a float', base64Of([Number.NaN, 1]), /^must have finite 32-bit floats only$/],
    ['infinity as a float', base64Of([Number.POSITIVE_INFINITY]), /^must have finite 32-bit floats only$/],
    ['zeros', [0, -0, 0], /^must not be all zeros/],
    ['zeros as floats', base64Of([0, 0]), /^must not be all zeros/],
    ['what rounds to zeros', [1e-300, 1e-300], /^must not be all zeros/],
  ])('is not %s', (_what, given, message) => {
    const parsed = givenVector.safeParse(given);
    expect(parsed.error?.issues.map((issue) => issue.message)).toEqual([expect.stringMatching(message)]);
  });
});

it.each(['', '   ', '\n\t', '\u3000', 'a\0b', '\ud800', 'x'.repeat(vectorLimits.textLength + 1)])(
  'a text to embed is not %j',
  (text) => {
    expect(embeddedText.safeParse(text).success).toBe(false);
  },
);
