/**
 * A useful number of vectors passes through an agent's message to `platform` without a
 * wider limit of its values.
 */
import { expect, it } from '@jest/globals';
import { fixedLimits } from '../../../../config/fixed-limits.ts';
import { holdsMoreValues, maxToolMessageValues } from '../../../../contract/json-values.ts';
import { vectorLimits, vectorToBytes } from '../../../../contract/vectors.ts';

const dimensions = 1536;
const vector = Float32Array.from({ length: dimensions }, (_, at) => Math.sin(at));
const lineOf = (count: number, given: unknown) => {
  const items = Array.from({ length: count }, (_, at) => ({
    id: `item-${at}`,
    vector: given,
    metadata: { at },
  }));
  const params = { name: 'vector_upsert', arguments: { collection: 'documents', items } };
  return Buffer.from(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }));
};

it('holds as many vectors as one upsert takes, as base64', () => {
  const line = lineOf(vectorLimits.itemsPerUpsert, vectorToBytes(vector).toString('base64'));
  expect(line.length).toBeLessThan(fixedLimits.LIMIT_LINE_BYTES);
  expect(holdsMoreValues(line, maxToolMessageValues)).toBe(false);
});

it('holds a few as lists of numbers', () => {
  expect(holdsMoreValues(lineOf(5, [...vector]), maxToolMessageValues)).toBe(false);
  expect(holdsMoreValues(lineOf(6, [...vector]), maxToolMessageValues)).toBe(true);
});
