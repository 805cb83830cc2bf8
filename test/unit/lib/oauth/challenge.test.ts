import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { missingScopes, parseScopes, selectScopes, widenScopes } from '../../../../lib/oauth/challenge.ts';
import { checkProperty } from '../../../support/property.ts';
import { refusalOf } from './refusal.ts';

describe('scopes of a challenge', () => {
  it('are each taken once', () => {
    expect(parseScopes(' files:read  files:write files:read ')).toEqual(['files:read', 'files:write']);
    expect(parseScopes('')).toEqual([]);
  });

  it('may come with commas, where no space is between them', () => {
    expect(parseScopes('repo,read:org,repo')).toEqual(['repo', 'read:org']);
    expect(parseScopes(' repo,gist ')).toEqual(['repo', 'gist']);
    expect(parseScopes('a,b c')).toEqual(['a,b', 'c']);
  });

  it.each([
    ['a quote', 'files"read', "files'read"],
    ['a backslash', 'files\\read', 'which no scope can be called'],
    ['a letter beyond ASCII', 'dateien:lösche', 'which no scope can be called'],
    ['a control', 'files\u0007', 'which no scope can be called'],
    ['a very long one', 'x'.repeat(201), 'which no scope can be called'],
    ['too many', Array.from({ length: 101 }, (_, at) => `s${at}`).join(' '), 'more than 100 scopes'],
  ])('are refused with %s', (_what, text, why) => {
    const refusal = refusalOf(() => parseScopes(text));
    expect(refusal).toMatchObject({ code: 'challenge_invalid' });
    expect(refusal?.message).toContain(why);
  });

  it('never split into what was not sent', () => {
    checkProperty(
      fc.property(
        fc.uniqueArray(fc.stringMatching(/^[!#-+\--[\]-~]{1,10}$/), { maxLength: 20 }),
        (scopes) => {
          expect(parseScopes(scopes.join(' '))).toEqual(scopes);
        },
      ),
    );
  });
});

describe('scopes to ask for', () => {
  const [challenge, resource, server] = [['c'], ['r'], ['s', 'offline_access']];
  it.each([
    ['the challenge first', { challenge, resource, server: null }, ['c']],
    ['then the resource', { challenge: null, resource, server: null }, ['r']],
    ['else none', { challenge: null, resource: null, server }, []],
    [
      'with offline_access where the server names it',
      { challenge, resource, server },
      ['c', 'offline_access'],
    ],
    ['once', { challenge: ['offline_access'], resource, server }, ['offline_access']],
  ])('are %s', (_what, sources, expected) => {
    expect(selectScopes(sources, true)).toEqual(expected);
  });

  it('have no offline_access where no refresh token is given', () => {
    expect(selectScopes({ challenge, resource, server }, false)).toEqual(['c']);
  });
});

describe('missing scopes', () => {
  it.each<[number, string | undefined, string[] | null]>([
    [403, 'Bearer error="insufficient_scope", scope="a b a"', ['a', 'b']],
    [403, 'Bearer error="insufficient_scope"', []],
    [403, 'Bearer error="insufficient_scope", scope=" "', []],
    [403, 'Bearer error="insufficient_scope", scope="ä"', []],
    [403, 'Bearer error="insufficient_scope", scope="a\\"b"', []],
    [403, `Bearer error="insufficient_scope", scope="${'x '.repeat(3000)}"`, null],
    [403, 'Bearer scope="a"', null],
    [403, 'Bearer error="invalid_token", scope="a"', null],
    [403, 'Basic realm="x"', null],
    [403, undefined, null],
    [401, 'Bearer error="insufficient_scope", scope="a"', null],
  ])('of %i %s are %j', (status, header, expected) => {
    expect(missingScopes({ status, headers: { 'www-authenticate': header } })).toEqual(expected);
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
