import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  type AuthorizationResponse,
  parseAuthorizationResponse,
  readAuthorizationResponse,
} from '../../../../lib/oauth/authorization-response.ts';
import { checkProperty } from '../../../support/property.ts';
import { responseErrorOf } from './refusal.ts';

const state = 'S'.repeat(43);
const code = 'the-code';
const issuer = 'https://issuer.test';
const server = { issuer, sendsIssuer: true };
const query = (fields: Record<string, string>) => new URLSearchParams({ state, ...fields }).toString();

describe('the query of a callback', () => {
  it('is read as it came', () => {
    expect(parseAuthorizationResponse(`${query({ code, iss: issuer })}&session_state=x`)).toEqual({
      state,
      code,
      issuer,
      error: null,
      errorDescription: null,
    });
    expect(
      parseAuthorizationResponse(query({ error: 'access_denied', error_description: 'No.' })),
    ).toMatchObject({ code: null, issuer: null, error: 'access_denied', errorDescription: 'No.' });
  });

  it.each([
    ['a code twice', `${query({ code })}&code=other`, 'has a parameter twice'],
    ['the same code twice', `${query({ code })}&code=${code}`, 'has a parameter twice'],
    ['a state twice', `${query({ code })}&state=${state}`, 'has a parameter twice'],
    ['an issuer twice', `${query({ code, iss: issuer })}&iss=https://evil.test`, 'has a parameter twice'],
    ['a parameter twice in other letters', `${query({ code })}&%63ode=other`, 'has a parameter twice'],
    ['an unknown parameter twice', `${query({ code })}&x=1&x=2`, 'has a parameter twice'],
    ['no state', `code=${code}`, 'lacks the state'],
    ['an empty state', `code=${code}&state=`, 'lacks the state'],
    ['a longer state', `code=${code}&state=${state}S`, 'lacks the state'],
    ['a state with a line break', `code=${code}&state=${state}%0a`, 'lacks the state'],
    ['neither code nor error', query({}), 'has neither a code nor an error'],
    ['both', query({ code, error: 'access_denied' }), 'has both a code and an error'],
    ['an empty code', query({ code: '' }), 'has a code with characters'],
    ['a code with a line break', query({ code: 'the-code\r\nX: y' }), 'has a code with characters'],
    ['a code beyond ASCII', query({ code: 'cödé' }), 'has a code with characters'],
    ['a code of broken UTF-8', `state=${state}&code=%ff%fe`, 'has a code with characters'],
    ['a very long code', query({ code: 'x'.repeat(8193) }), 'has a code with characters'],
    ['an error with a control', query({ error: 'access_denied\u001b[31m' }), 'has an error with characters'],
    ['an empty error', query({ error: '' }), 'has an error with characters'],
    ['megabytes', query({ code, x: 'x'.repeat(20_000) }), 'is longer than 16384 characters'],
    ['nothing', '', 'lacks the state'],
  ])('is refused with %s', (_what, text, why) => {
    const refusal = responseErrorOf(() => parseAuthorizationResponse(text));
    expect(refusal).toMatchObject({ code: 'response_invalid' });
    expect(refusal?.message).toContain(why);
    expect(refusal?.message).not.toMatch(/the-code|SSSS|evil/);
  });

  it('has a readable outcome or is refused, whatever it holds', () => {
    const name = fc.constantFrom('code', 'state', 'iss', 'error', 'error_description', 'x');
    const value = fc.oneof(
      fc.constantFrom(state, code, issuer, 'access_denied', ''),
      fc.string({ unit: 'binary' }),
    );
    const pairs = fc.array(fc.tuple(name, value), { maxLength: 6 });
    const any = fc.oneof(
      pairs.map((each) => new URLSearchParams(each).toString()),
      fc.string({ unit: 'binary' }),
      fc.string().map((text) => `state=${state}&${text}`),
    );
    checkProperty(
      fc.property(any, fc.boolean(), (text, sendsIssuer) => {
        const refusal = responseErrorOf(() => {
          const response = parseAuthorizationResponse(text);
          const outcome = readAuthorizationResponse({ issuer, sendsIssuer }, response);
          expect(response.issuer === null ? !sendsIssuer : response.issuer === issuer).toBe(true);
          if (outcome.kind === 'code') {
            expect(outcome.code).toMatch(/^[\x20-\x7e]+$/);
            expect(new URLSearchParams(text).getAll('code')).toEqual([outcome.code]);
          } else {
            expect(outcome.sentence).toMatch(/^[^\p{Cc}\p{Cf}]+\.$/u);
          }
        });
        expect(refusal?.message ?? 'It is one.').toMatch(/^[^\p{Cc}\p{Cf}]+\.$/u);
      }),
      { runs: 1000 },
    );
  });
});

describe('an authorization response', () => {
  const response = (changed: Partial<AuthorizationResponse>) => ({
    state,
    code: null,
    issuer,
    error: null,
    errorDescription: null,
    ...changed,
  });

  it('gives its code when it is from the issuer', () => {
    expect(readAuthorizationResponse(server, response({ code }))).toEqual({ kind: 'code', code });
  });

  it('needs no issuer from a server that does not send it', () => {
    const silent = { issuer, sendsIssuer: false };
    expect(readAuthorizationResponse(silent, response({ code, issuer: null }))).toMatchObject({
      kind: 'code',
    });
  });

  it.each([
    ['is missing', null, true, 'issuer_missing'],
    ['is another server', 'https://evil.test', true, 'issuer_mismatch'],
    ['has a slash more', `${issuer}/`, true, 'issuer_mismatch'],
    ['has a port more', `${issuer}:443`, true, 'issuer_mismatch'],
    ['is in capitals', 'https://ISSUER.test', true, 'issuer_mismatch'],
    ['has another scheme', 'http://issuer.test', true, 'issuer_mismatch'],
    ['is empty', '', true, 'issuer_mismatch'],
    ['is another, though none was announced', 'https://evil.test', false, 'issuer_mismatch'],
    ['is empty, though none was announced', '', false, 'issuer_mismatch'],
  ])('whose issuer %s gives no code, and shows no word of an error', (_what, named, sendsIssuer, refused) => {
    for (const held of [{ code }, { error: 'access_denied', errorDescription: 'Call us!' }]) {
      const refusal = responseErrorOf(() =>
        readAuthorizationResponse({ issuer, sendsIssuer }, response({ issuer: named, ...held })),
      );
      expect(refusal).toMatchObject({ code: refused });
      expect(refusal?.message).not.toMatch(/the-code|access_denied|Call us/);
    }
  });

  it.each([
    ['access_denied', null, 'denied', 'Access was denied at "https://issuer.test": "access_denied"; sign in'],
    [
      'invalid_scope',
      'Unknown\u202e "scope"',
      'refused',
      `refuses the sign-in: "invalid_scope", saying "Unknown 'scope'"; ask an admin to change the scopes`,
    ],
    ['temporarily_unavailable', null, 'refused', '"temporarily_unavailable"; try again later.'],
    ['constructor', null, 'refused', '"constructor"; ask an admin or'],
    ['invalid_request', `state=${state}`, 'refused', 'words that are left out because they repeat'],
  ])('with the error %s and %j is one sentence', (error, errorDescription, kind, says) => {
    const outcome = readAuthorizationResponse(server, response({ error, errorDescription }));
    expect(outcome).toMatchObject({ kind, error });
    expect('sentence' in outcome ? outcome.sentence : '').toContain(says);
  });
});
