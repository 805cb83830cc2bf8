import { expect, it } from '@jest/globals';
import fc from 'fast-check';
import { secretName, secretReference, toolScope, uuid } from '../../../contract/names.ts';
import { checkProperty } from '../../support/property.ts';

it('normalises an id, however it is written', () => {
  const id = '0a1b2c3d-4e5f-4a6b-8c7d-9e0f1a2b3c4d';
  expect(uuid.parse(id.toUpperCase())).toBe(id);
  expect(uuid.safeParse(`${id} `).success).toBe(false);
});

it.each([
  ['a reference', secretReference, /^\$\{[A-Z_][A-Z0-9_]*\}$/, '${}A_0$z '],
  ['a scope', toolScope, /^[a-z]+(\.[a-z]+)+$/, 'az..A0 '],
  ['a secret', secretName, /^[A-Z_][A-Z0-9_]{0,63}$/, 'AZ_09a '],
] as const)('accepts for %s exactly what its pattern accepts', (_what, schema, pattern, letters) => {
  const text = fc.string({ unit: fc.constantFrom(...letters), maxLength: 100 });
  const like = fc.oneof(
    text,
    text.map((inner) => `\${${inner}}`),
    fc.stringMatching(pattern, { maxLength: 200 }),
  );
  checkProperty(
    fc.property(like, (name) => {
      expect(schema.safeParse(name).success).toBe(pattern.test(name));
    }),
  );
});

it('accepts a reference to an invalid name: such a secret never exists', () => {
  expect(secretReference.safeParse(`\${${'A'.repeat(65)}}`).success).toBe(true);
  expect(secretName.safeParse('A'.repeat(65)).success).toBe(false);
});
