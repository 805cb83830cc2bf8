import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { quote, quoteValue } from '../../../../lib/oauth/errors.ts';
import { checkProperty } from '../../../support/property.ts';

describe('text of a server in a message', () => {
  it.each([
    ['plain', '"plain"'],
    ['two\r\nlines\tand\u0000more', '"two lines and more"'],
    ['turned \u202egnp.exe\u202c', '"turned gnp.exe"'],
    ['in\u200bvisible\u2066', '"in visible"'],
    ['says "approved"; call us', `"says 'approved'; call us"`],
    ['line\u2028break', '"line break"'],
    ['\u001b[31mred', '"[31mred"'],
    ['', '""'],
    ['é'.repeat(300), `"${'é'.repeat(200)}…"`],
    ['😀'.repeat(300), `"${'😀'.repeat(200)}…"`],
  ])('%j', (text, quoted) => {
    expect(quote(text)).toBe(quoted);
  });

  it('is short and on one line, whatever it is', () => {
    checkProperty(
      fc.property(fc.string({ unit: 'binary', maxLength: 3000 }), (text) => {
        const quoted = quote(text);
        expect([...quoted].length).toBeLessThanOrEqual(203);
        expect(quoted).toMatch(/^"[^"\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]*"$/u);
      }),
    );
  });

  it.each([
    [['a'], 'a list'],
    [null, 'null'],
    [1, 'number'],
    [{}, 'object'],
    [true, 'boolean'],
    ['a', '"a"'],
  ])('of a value %j is %s', (value, quoted) => {
    expect(quoteValue(value)).toBe(quoted);
  });
});
