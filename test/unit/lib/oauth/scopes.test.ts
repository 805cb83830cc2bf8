import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { parseScopes, selectScopes } from '../../../../lib/oauth/scopes.ts';
import { checkProperty } from '../../../support/property.ts';
import { refusalOf } from './refusal.ts';

describe('scopes of a challenge', () => {
  it('are each taken once', () => {
    expect(parseScopes(' files:read  files:write files:read ')).toEqual(['files:read', 'files:write']);
    expect(parseScopes('')).toEqual([]);
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
      fc.property(fc.uniqueArray(fc.stringMatching(/^[!#-[\]-~]{1,10}$/), { maxLength: 20 }), (scopes) => {
        expect(parseScopes(scopes.join(' '))).toEqual(scopes);
      }),
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
