/**
 * Payloads of the audit trail: as `JSON.stringify` writes them, truncated, at no cost for what is cut off.
 */
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { payloadOf } from '../../../../sidecar/audit/audit-trail.ts';
import { jsonPrefix } from '../../../../sidecar/audit/json-prefix.ts';
import { bestRatio } from '../../../support/loop-hold.ts';
import { checkProperty } from '../../../support/property.ts';

const limitBytes = 16 * 1024;

/** The reference: serializes all of it, then truncates. */
const cutOf = (value: unknown) => {
  const bytes = Buffer.from(JSON.stringify(value));
  return { json: bytes.toString('utf8', 0, limitBytes), truncated: bytes.length > limitBytes };
};

const anyText = fc.string({ unit: 'binary' });
const text = fc.oneof(anyText, fc.constantFrom('\ud800', '😀', '\u0000"\\', '__proto__', 'toJSON', '1', ''));
const { value: anyValue } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 5 },
    text,
    fc.double(),
    fc.constantFrom(null, true, false),
    fc.array(tie('value')),
    fc.dictionary(text, tie('value')),
  ),
}));
/** Any value that a line can hold: parsed from JSON, where `__proto__` is an ordinary member. */
const readValue = anyValue.map((value): unknown => JSON.parse(JSON.stringify(value)));

describe('the beginning of a JSON text', () => {
  it('is the whole text within the limit, and otherwise a prefix with the same bytes', () => {
    checkProperty(
      fc.property(readValue, fc.nat({ max: 200 }), (value, bytes) => {
        const whole = Buffer.from(JSON.stringify(value));
        const begun = Buffer.from(jsonPrefix(value, bytes));
        if (whole.length <= bytes) {
          expect(begun).toEqual(whole);
        } else {
          expect(begun.length).toBeGreaterThan(bytes);
          expect(begun.subarray(0, bytes)).toEqual(whole.subarray(0, bytes));
        }
      }),
      { runs: 2000 },
    );
  });
});

describe('a payload', () => {
  it('is equal to the truncated whole text', () => {
    const large = fc.tuple(readValue, fc.integer({ min: 1, max: 3000 }));
    checkProperty(
      fc.property(large, ([value, times]) => {
        const values = Array.from({ length: times }, () => value);
        expect(payloadOf(values)).toEqual(cutOf(values));
      }),
      { runs: 200 },
    );
  });

  it('has numbers as JSON.stringify writes them', () => {
    const numbers: unknown = JSON.parse('[-0,1e999,-1e999,1E21,1e-7,0.1,9007199254740993]');
    expect(payloadOf(numbers)).toEqual(cutOf(numbers));
  });

  it.each([limitBytes - 3, limitBytes - 2, limitBytes - 1, limitBytes, limitBytes + 1])(
    'is truncated like its text: %i characters',
    (length) => {
      for (const end of ['', 'é', '😀', '\ud83d', '\n']) {
        for (const value of [`${'a'.repeat(length)}${end}b`, `${'é'.repeat(length / 2)}${end}b`]) {
          expect(payloadOf(value)).toEqual(cutOf(value));
          expect(payloadOf({ [value]: 0 })).toEqual(cutOf({ [value]: 0 }));
        }
      }
    },
  );

  const list = (piece: string) => `[${`${piece},`.repeat(1_000_000 / (piece.length + 1))}0]`;
  const megabytes: [string, string][] = [
    ['empty objects', list('{}')],
    ['small objects', list('{"":0}')],
    ['nested lists', list('['.repeat(60) + ']'.repeat(60))],
    ['short strings', list('"a"')],
    ['one string', JSON.stringify('\n'.repeat(500_000))],
  ];

  it.each(megabytes)('of a megabyte takes a fraction of the time for all of it: %s', async (_what, json) => {
    const value: unknown = JSON.parse(`{"a":${json}}`);
    expect(payloadOf(value)).toEqual(cutOf(value));
    const ratio = await bestRatio({
      subject: () => payloadOf(value),
      control: () => cutOf(value),
      of: 'processor',
      below: 0.5,
      rounds: 15,
    });
    expect(ratio).toBeLessThan(0.5);
  });
});
