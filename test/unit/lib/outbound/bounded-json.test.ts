import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { parseBoundedJson } from '../../../../lib/outbound/bounded-json.ts';
import { checkProperty } from '../../../support/property.ts';

const parse = (text: string, maxValues = 100) => parseBoundedJson(Buffer.from(text), maxValues);
const nested = (depth: number) => `${'['.repeat(depth)}${']'.repeat(depth)}`;

describe('JSON of somebody else', () => {
  it.each([
    ['not JSON', '{', 'is not JSON'],
    ['nothing', '', 'is not JSON'],
    ['two documents', '{}{}', 'is not JSON'],
    ['too many values', `[${'0,'.repeat(200)}0]`, 'holds more than 100 JSON values'],
    ['too deep', nested(65), 'is nested more than 64 deep'],
  ])('is refused: %s', (_what, text, problem) => {
    expect(parse(text)).toEqual({ problem });
  });

  it('is refused when it is not UTF-8, or so deep that recursion would end', () => {
    expect(parseBoundedJson(Buffer.from([0x22, 0xff, 0x22]), 100)).toEqual({ problem: 'is not JSON' });
    expect(parse(nested(100_000), 1_000_000)).toEqual({ problem: 'is nested more than 64 deep' });
  });

  it('is what JSON.parse makes of it otherwise', () => {
    expect(parse(nested(64))).toEqual({ value: JSON.parse(nested(64)) });
    checkProperty(
      fc.property(fc.json({ maxDepth: 10 }), (text) => {
        expect(parse(text, 100_000)).toEqual({ value: JSON.parse(text) });
      }),
    );
  });
});
