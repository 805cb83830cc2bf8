import { createHash, randomBytes } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  type AuthorizationResponse,
  buildAuthorizationRequest,
  parseAuthorizationResponse,
  readAuthorizationResponse,
} from '../../../../lib/oauth/authorization.ts';
import { checkProperty } from '../../../support/property.ts';
import { policy, refusalOf, responseErrorOf } from './refusal.ts';

const options = {
  server: { issuer: 'https://issuer.test', authorizationEndpoint: 'https://login.issuer.test/authorize' },
  clientId: 'the client&id',
  redirectUri: 'https://platform.test/oauth/callback/1',
  resource: 'https://server.test/mcp?tenant=1',
  scopes: ['notes.read', 'notes.write'],
};
const build = (changed: Partial<typeof options> = {}) =>
  buildAuthorizationRequest(policy, { ...options, ...changed }, randomBytes);
const at = (authorizationEndpoint: string) => ({ server: { ...options.server, authorizationEndpoint } });

describe('an authorization request', () => {
  it('has all that the server needs, and the challenge in place of the verifier', () => {
    const { url, host, state, codeVerifier } = build();
    const { origin, pathname, searchParams } = new URL(url);
    expect([origin, pathname, host]).toEqual([
      'https://login.issuer.test',
      '/authorize',
      'login.issuer.test',
    ]);
    expect(Object.fromEntries(searchParams)).toEqual({
      response_type: 'code',
      client_id: 'the client&id',
      redirect_uri: options.redirectUri,
      state,
      code_challenge: createHash('sha256').update(codeVerifier).digest('base64url'),
      code_challenge_method: 'S256',
      resource: options.resource,
      scope: 'notes.read notes.write',
    });
    expect(url).not.toContain(codeVerifier);
  });

  it('has a state and a verifier of 256 bits that are never those of another', () => {
    const made = Array.from({ length: 100 }, () => build()).flatMap(({ state, codeVerifier }) => [
      state,
      codeVerifier,
    ]);
    expect(new Set(made).size).toBe(200);
    expect(made.every((each) => /^[A-Za-z0-9_-]{43}$/.test(each))).toBe(true);
  });

  it('has no scope when there is none', () => {
    expect(new URL(build({ scopes: [] }).url).searchParams.has('scope')).toBe(false);
  });

  it('asks for consent where it asks for offline access, and only there', () => {
    const asked = new URL(build({ scopes: ['notes.read', 'offline_access'] }).url).searchParams;
    expect([asked.get('scope'), asked.get('prompt')]).toEqual(['notes.read offline_access', 'consent']);
    expect(new URL(build().url).searchParams.has('prompt')).toBe(false);
  });

  it("keeps the endpoint's own query, but no second value of what it sets itself", () => {
    const query = 'tenant=a%20b&client_id=evil&client_id=evil2&code_challenge_method=plain&state=1';
    const { searchParams } = new URL(build(at(`https://issuer.test/authorize?${query}`)).url);
    expect(searchParams.getAll('tenant')).toEqual(['a b']);
    for (const name of new Set(searchParams.keys())) {
      expect([name, searchParams.getAll(name).length]).toEqual([name, 1]);
    }
    expect([searchParams.get('client_id'), searchParams.get('code_challenge_method')]).toEqual([
      'the client&id',
      'S256',
    ]);
  });

  it.each([
    'javascript:alert(1)',
    'data:text/html,x',
    'file:///etc/passwd',
    'vbscript:x',
    'http://issuer.test/authorize',
    'https://user:password@issuer.test/authorize',
    'https://honest.test@evil.test/',
    'https://issuer.test/authorize#fragment',
    'https://issuer.test\\@evil.test/',
    ' https://issuer.test/authorize',
    'https://issuer.test/\nauthorize',
    'https://10.0.0.1/authorize',
    'https://169.254.169.254/',
    '//evil.test',
    '',
  ])('never leads a browser to %j', (endpoint) => {
    expect(refusalOf(() => build(at(endpoint)))).toMatchObject({ code: 'endpoint_refused' });
  });
});

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
