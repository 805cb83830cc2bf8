import { expect, it } from '@jest/globals';
import fc from 'fast-check';
import { createTopMatches, similarity } from '../../../store/vectors/exact-search.ts';
import { checkProperty } from '../../support/property.ts';

const match = fc.record({
  id: fc.string({ minLength: 1, maxLength: 3 }),
  score: fc.constantFrom(-1, -0.5, 0, 0.5, 1),
});

it('keeps the best matches, equal ones by id, in whichever order they come', () => {
  checkProperty(
    fc.property(
      fc.uniqueArray(match, { selector: ({ id }) => id, maxLength: 30 }),
      fc.integer({ min: 1, max: 10 }),
      (matches, size) => {
        const top = createTopMatches(size);
        for (const each of matches) {
          top.add(each);
        }
        const sorted = matches.toSorted((one, other) =>
          one.score === other.score ? (one.id < other.id ? -1 : 1) : other.score - one.score,
        );
        expect(top.list()).toEqual(sorted.slice(0, size));
      },
    ),
  );
});

it('is 1 for the same direction, 0 for a right angle, -1 for the opposite one', () => {
  const [one, other] = [Float32Array.of(0.6, 0.8), Float32Array.of(-0.8, 0.6)];
  expect(similarity(one, one)).toBeCloseTo(1, 6);
  expect(similarity(one, other)).toBeCloseTo(0, 6);
  expect(similarity(one, Float32Array.of(-0.6, -0.8))).toBeCloseTo(-1, 6);
  // Rounding never takes it beyond.
  const long = Float32Array.from({ length: 3 }, () => 0.57735032);
  expect(similarity(long, long)).toBeLessThanOrEqual(1);
});
