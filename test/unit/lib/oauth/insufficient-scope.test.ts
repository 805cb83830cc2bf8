import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { readMissingScopes, widenScopes } from '../../../../lib/oauth/insufficient-scope.ts';
import { checkProperty } from '../../../support/property.ts';

describe('missing scopes', () => {
  it.each([
    ['Bearer error="insufficient_scope", scope="a b a"', ['a', 'b']],
    ['Bearer scope="a"', null],
    ['Bearer error="invalid_token", scope="a"', null],
    ['Bearer error="insufficient_scope"', null],
    ['Bearer error="insufficient_scope", scope=" "', null],
    ['Bearer error="insufficient_scope", scope="a\\"b"', null],
    [`Bearer error="insufficient_scope", scope="${'x '.repeat(3000)}"`, null],
    ['Basic realm="x"', null],
    [undefined, null],
  ])('of %s are %j', (header, expected) => {
    expect(readMissingScopes(header)).toEqual(expected);
  });
});

describe('wider scopes', () => {
  it.each([
    ['keep what was requested', ['c'], { requested: ['a', 'b'], granted: null }, ['a', 'b', 'c']],
    ['keep what was granted', ['c'], { requested: ['a'], granted: ['a', 'd'] }, ['a', 'd', 'c']],
    ['ask again for what was not granted', ['b'], { requested: ['a', 'b'], granted: ['a'] }, ['a', 'b']],
    ['begin with none', ['a'], { requested: [], granted: null }, ['a']],
    ['are none when all was granted', ['a'], { requested: ['a'], granted: ['a', 'b'] }, null],
    ['are none when all was requested', ['a'], { requested: ['a'], granted: null }, null],
    ['are none when nothing is missing', [], { requested: ['a'], granted: null }, null],
    ['are none with what is no scope', ['b', 'a"b'], { requested: ['a'], granted: null }, null],
  ])('%s', (_what, missing, held, expected) => {
    expect(widenScopes(missing, held)).toEqual(expected);
  });

  it('have all that was held and is missing, each once, and are bounded', () => {
    const scopes = fc.array(fc.stringMatching(/^[a-z]{1,3}$/), { maxLength: 80 });
    checkProperty(
      fc.property(scopes, scopes, fc.option(scopes), (missing, requested, granted) => {
        const wider = widenScopes(missing, { requested, granted });
        const union = new Set([...requested, ...(granted ?? []), ...missing]);
        if (wider !== null) {
          expect(new Set(wider)).toEqual(union);
          expect(wider.length).toBe(union.size);
          expect(wider.length).toBeLessThanOrEqual(100);
        } else {
          const held = granted ?? requested;
          expect(union.size > 100 || missing.every((scope) => held.includes(scope))).toBe(true);
        }
      }),
    );
  });
});
