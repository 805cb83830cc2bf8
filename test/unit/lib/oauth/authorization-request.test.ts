import { createHash, randomBytes } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { buildAuthorizationRequest } from '../../../../lib/oauth/authorization-request.ts';
import { policy, refusalOf } from './refusal.ts';

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
