import { createHash } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  embedInSteps,
  embedLocally,
  localDimensions,
} from '../../../../api/embedding-provider/local-hashed-ngrams.ts';
import { unitVector, vectorToBytes } from '../../../../contract/vectors.ts';
import { similarity } from '../../../../store/vectors/exact-search.ts';
import { checkProperty } from '../../../support/property.ts';

const vectorOf = (text: string): Float32Array => {
  const unit = unitVector(embedLocally(text));
  if ('problem' in unit) {
    throw new Error(unit.problem);
  }
  return unit.vector;
};
const alike = (one: string, other: string) => similarity(vectorOf(one), vectorOf(other));

describe('texts that are embedded by their spelling', () => {
  it('have a vector of the same dimensions, whatever they say', () => {
    const text = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 60 });
    checkProperty(
      fc.property(
        text.filter((each) => each.trim() !== ''),
        (each) => {
          expect(vectorOf(each)).toHaveLength(localDimensions);
          expect(alike(each, `  ${each}\n`)).toBeCloseTo(1, 5);
        },
      ),
    );
  });

  it('are alike without regard to case and to how characters are encoded', () => {
    expect(alike('Zürich HB', 'zu\u0308rich hb')).toBeCloseTo(1, 5);
  });

  it('are similar when they are spelled alike, and only then', () => {
    expect(alike('printer prints blank pages', 'the printers print a blank page')).toBeGreaterThan(0.4);
    expect(alike('printer prints blank pages', 'VPN drops every hour')).toBeLessThan(0.2);
    // They mean the same.
    expect(alike('automobile', 'car')).toBeLessThan(0.2);
  });

  it('are embedded with a pause after some hundred grams', () => {
    const text = Array.from({ length: 8000 }, (_, at) => String.fromCodePoint(0x4e00 + at)).join('');
    expect([...embedInSteps(text)].length).toBeGreaterThanOrEqual((2 * 8000) / 500);
  });

  it('have the vector that is stored for them', () => {
    const bytes = vectorToBytes(embedLocally('Printer on floor 2: ünïcödé 😀'));
    expect(createHash('sha256').update(bytes).digest('hex')).toBe(
      '71b15698508574a1a9d4f4ab0c6d152e734eaab4c1b8ad5d97c221c1241a9ca6',
    );
  });
});
