import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { countValues } from '../../../contract/json-values.ts';
import { checkProperty } from '../../support/property.ts';

/** What `countValues` says: one more for each member, item and opening bracket. */
function valuesOf(value: unknown): number {
  const inner = typeof value === 'object' && value !== null ? Object.values(value) : null;
  const separators = inner === null ? 0 : Math.max(0, inner.length - 1);
  return inner === null ? 0 : 1 + separators + inner.map(valuesOf).reduce((sum, each) => sum + each, 0);
}

/** Longer than what is looked at byte by byte, with all that a string can hide. */
const text = fc.string({ unit: fc.constantFrom('\\', '"', ',', '[', '{', 'a', 'é', '\n'), maxLength: 200 });

describe('the values of a JSON text', () => {
  it('are counted whatever its strings hold', async () => {
    await checkProperty(
      fc.property(fc.jsonValue({ stringUnit: 'grapheme' }), text, text, (value, key, end) => {
        const whole = { [key]: [value, end], more: [end, [key, key], value] };
        expect(countValues(Buffer.from(JSON.stringify(whole)))).toBe(1 + valuesOf(whole));
      }),
      { runs: 2000 },
    );
  });

  it.each(['"', '"a', `"${'a'.repeat(100)}`, `"${'\\"'.repeat(100)}`, `"${'\\'.repeat(99)}`])(
    'of a text that ends inside a string are counted up to there (%#)',
    (start) => {
      expect(countValues(Buffer.from(`[1,${start}`))).toBe(3);
    },
  );
});
