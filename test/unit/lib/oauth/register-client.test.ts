import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { buildRegistrationRequest } from '../../../../lib/oauth/choose-client.ts';
import type { TokenAuthMethod } from '../../../../lib/oauth/metadata.ts';
import {
  parseRegistration,
  RegistrationAnswerError,
  registrationRefusal,
} from '../../../../lib/oauth/register-client.ts';
import { checkProperty } from '../../../support/property.ts';
import { authorizationServer } from './authorization-server.ts';
import { refusalOf } from './refusal.ts';

const server = authorizationServer({ takesClientMetadataUrls: false, sendsIssuer: false });
const redirectUri = 'https://platform.test/oauth/callback/1';
const options = {
  redirectUri,
  clientName: 'Platform',
  tokenAuthMethod: 'client_secret_basic' as const,
};
const now = new Date('2026-11-25T12:00:00Z');
const nowSeconds = now.getTime() / 1000;
const asking = (tokenAuthMethod: TokenAuthMethod) =>
  buildRegistrationRequest(server, { ...options, tokenAuthMethod });
const honest = {
  client_id: 'the-client',
  client_secret: 'the-secret',
  client_secret_expires_at: 0,
  redirect_uris: [redirectUri],
  grant_types: ['authorization_code', 'refresh_token'],
  response_types: ['code'],
  token_endpoint_auth_method: 'client_secret_basic',
  registration_access_token: 'the-token',
  registration_client_uri: 'https://issuer.test/register/the-client',
};
const read = (fields: object, method: TokenAuthMethod = 'client_secret_basic') =>
  parseRegistration(server, asking(method), JSON.parse(JSON.stringify({ ...honest, ...fields })), now);

describe('a registration asks', () => {
  it('for a web application with all that it will use', () => {
    expect(buildRegistrationRequest(server, options)).toEqual({
      application_type: 'web',
      redirect_uris: [redirectUri],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      client_name: 'Platform',
      token_endpoint_auth_method: 'client_secret_basic',
    });
  });

  it('for no refresh token where there is none', () => {
    expect(buildRegistrationRequest({ refreshesTokens: false }, options).grant_types).toEqual([
      'authorization_code',
    ]);
  });

  it.each([
    ['http://localhost:3000/callback', 'native'],
    ['http://127.0.0.1:3000/callback', 'native'],
    ['http://[::1]:3000/callback', 'native'],
    ['https://localhost.test/callback', 'web'],
    ['https://127.0.0.1.test/callback', 'web'],
  ])('for codes at %s as a %s application', (uri, type) => {
    expect(buildRegistrationRequest(server, { ...options, redirectUri: uri }).application_type).toBe(type);
  });
});

describe('an answer to a registration', () => {
  it('is accepted', () => {
    expect(read({})).toEqual({
      issuer: 'https://issuer.test',
      clientId: 'the-client',
      redirectUri,
      tokenAuthMethod: 'client_secret_basic',
      clientSecret: 'the-secret',
      secretExpiresAtSeconds: null,
      refreshesTokens: true,
      management: { url: 'https://issuer.test/register/the-client', accessToken: 'the-token' },
    });
  });

  it.each([
    [
      'without what has a default',
      { grant_types: undefined, response_types: undefined },
      { refreshesTokens: false },
    ],
    [
      'with another method that both speak',
      { token_endpoint_auth_method: 'client_secret_post' },
      { tokenAuthMethod: 'client_secret_post' },
    ],
    [
      'without a method',
      { token_endpoint_auth_method: undefined },
      { tokenAuthMethod: 'client_secret_basic' },
    ],
    [
      'with an expiry to come',
      { client_secret_expires_at: nowSeconds + 60 },
      { secretExpiresAtSeconds: nowSeconds + 60 },
    ],
    ['with the response types that Keycloak adds', { response_types: ['code', 'none'] }, {}],
    [
      'with more grants and scopes than were asked for',
      { grant_types: ['authorization_code', 'refresh_token', 'password'], scope: 'openid address phone' },
      { refreshesTokens: true },
    ],
    [
      'with an expiry that is a text',
      { client_secret_expires_at: String(nowSeconds + 60) },
      { secretExpiresAtSeconds: nowSeconds + 60 },
    ],
    ['with "0" for never', { client_secret_expires_at: '0' }, { secretExpiresAtSeconds: null }],
    [
      'with an expiry in fractions',
      { client_secret_expires_at: nowSeconds + 60.5 },
      { secretExpiresAtSeconds: nowSeconds + 60 },
    ],
    [
      'with a method that is empty',
      { token_endpoint_auth_method: '' },
      { tokenAuthMethod: 'client_secret_basic' },
    ],
    ['without an expiry', { client_secret_expires_at: undefined }, { secretExpiresAtSeconds: null }],
    [
      'with members that are null',
      { client_secret_expires_at: null, grant_types: null },
      { refreshesTokens: false },
    ],
  ])('is accepted %s', (_what, fields, expected) => {
    expect(read(fields)).toMatchObject(expected);
  });

  it('is accepted for a client without a secret', () => {
    const none = { client_secret: undefined, token_endpoint_auth_method: 'none' };
    expect(read(none, 'none')).toMatchObject({ clientSecret: null, tokenAuthMethod: 'none' });
    expect(read({ ...none, client_secret: '' }, 'none')).toMatchObject({ clientSecret: null });
    expect(read({ ...none, client_secret_expires_at: 1 }, 'none')).toMatchObject({
      secretExpiresAtSeconds: null,
    });
    expect(read({}, 'none')).toMatchObject({
      clientSecret: 'the-secret',
      tokenAuthMethod: 'client_secret_basic',
    });
  });

  it.each([
    [
      'another redirect URI',
      { redirect_uris: ['https://evil.test/'] },
      '"redirect_uris" holds "https://evil.test/" instead',
    ],
    [
      'a redirect URI too many',
      { redirect_uris: [redirectUri, 'https://evil.test/'] },
      'holds "https://evil.test/"',
    ],
    [
      'a redirect URI in another spelling',
      { redirect_uris: [`${redirectUri}/`] },
      'instead of what was asked for',
    ],
    ['no redirect URI', { redirect_uris: [] }, 'does not hold exactly'],
    ['the redirect URI twice', { redirect_uris: [redirectUri, redirectUri] }, 'does not hold exactly'],
    ['no list of redirect URIs', { redirect_uris: undefined }, '"redirect_uris" is missing'],
    ['no grant of codes', { grant_types: ['refresh_token'] }, 'lacks "authorization_code"'],
    ['no grant at all', { grant_types: [] }, 'lacks "authorization_code"'],
    ['another response type', { response_types: ['token', 'none'] }, '"response_types" lacks "code"'],
    ['no response type', { response_types: [] }, '"response_types" lacks "code"'],
    [
      'a method that is not spoken',
      { token_endpoint_auth_method: 'private_key_jwt' },
      'holds "private_key_jwt", which was not offered',
    ],
    [
      'a method that gives up the secret',
      { token_endpoint_auth_method: 'none', client_secret: undefined },
      'holds "none", which was not offered',
    ],
    ['no secret', { client_secret: undefined }, '"client_secret" is missing although'],
    ['an empty secret', { client_secret: '' }, '"client_secret" is missing although'],
    ['a secret with a line break', { client_secret: 'the-secret\r\nX: y' }, '"client_secret" holds a value'],
    ['an expired secret', { client_secret_expires_at: nowSeconds }, 'has expired already'],
    ['an expiry before time began', { client_secret_expires_at: -1 }, 'must not be negative'],
    ['an expiry in words', { client_secret_expires_at: 'never' }, 'must be a number of seconds'],
    ['no id', { client_id: undefined }, '"client_id" is missing'],
    ['an empty id', { client_id: '' }, 'has characters that no credential has'],
    ['an id with invisible characters', { client_id: 'a\u200bb' }, 'has characters that no credential has'],
    ['an id of megabytes', { client_id: 'x'.repeat(5000) }, 'is longer than 4096 characters'],
  ])('is refused with %s', (_what, fields, why) => {
    const refusal = refusalOf(() => read(fields));
    expect(refusal).toMatchObject({ code: 'registration_invalid', isTemporary: false });
    expect(refusal?.message).toContain(why);
    expect(refusal?.message).not.toMatch(/the-secret|the-token/);
  });

  it('that is refused names the client that it left, where that can be deleted', () => {
    const refused = refusalOf(() => read({ redirect_uris: [] }));
    expect(refused).toBeInstanceOf(RegistrationAnswerError);
    expect(refused).toMatchObject({
      unwanted: {
        clientId: 'the-client',
        management: { url: 'https://issuer.test/register/the-client', accessToken: 'the-token' },
      },
    });
    for (const fields of [
      { client_id: undefined },
      { redirect_uris: [], registration_access_token: undefined },
      { redirect_uris: [], registration_client_uri: 'https://evil.test/register/1' },
    ]) {
      expect(refusalOf(() => read(fields))).not.toBeInstanceOf(RegistrationAnswerError);
    }
  });

  it.each([0, 1])('is accepted without a secret that nothing asks for, which expires at %i', (expiry) => {
    const fields = { token_endpoint_auth_method: undefined, client_secret_expires_at: expiry };
    expect(read(fields, 'none')).toMatchObject({
      tokenAuthMethod: 'none',
      clientSecret: null,
      secretExpiresAtSeconds: null,
    });
  });

  it.each([
    ['on another host', { registration_client_uri: 'https://evil.test/register/1' }],
    ['on another port', { registration_client_uri: 'https://issuer.test:8443/register/1' }],
    ['without TLS', { registration_client_uri: 'http://issuer.test/register/1' }],
    ['with a password', { registration_client_uri: 'https://a:b@issuer.test/register/1' }],
    ['with a host behind a backslash', { registration_client_uri: 'https://issuer.test\\@evil.test/' }],
    ['that is none', { registration_client_uri: 'javascript:alert(1)' }],
    ['that is no text', { registration_client_uri: 1 }],
    ['without a token', { registration_access_token: undefined }],
    ['with a token that is no header', { registration_access_token: 'a\r\nHost: evil.test' }],
  ])('is used without an address to delete the client at, %s', (_what, fields) => {
    expect(read(fields)).toMatchObject({ clientId: 'the-client', management: null });
  });

  it('never makes a client of another redirect URI, method or grant, whatever it holds', () => {
    const mixed = fc.record(
      Object.fromEntries(
        Object.entries(honest).map(([key, value]) => [
          key,
          fc.oneof({ weight: 5, arbitrary: fc.constant(value) }, { weight: 1, arbitrary: fc.jsonValue() }),
        ]),
      ),
      { requiredKeys: [] },
    );
    checkProperty(
      fc.property(mixed, (fields) => {
        const refusal = refusalOf(() => {
          const client = parseRegistration(server, asking('client_secret_basic'), fields, now);
          expect(client).toMatchObject({ redirectUri, issuer: server.issuer });
          expect(['client_secret_basic', 'client_secret_post']).toContain(client.tokenAuthMethod);
          expect(client.clientSecret).not.toBeNull();
          expect(new URL(client.management?.url ?? 'https://issuer.test/').origin).toBe(
            'https://issuer.test',
          );
        });
        expect(refusal?.message ?? '').not.toMatch(/the-secret|the-token/);
      }),
    );
  });
});

describe('a refused registration', () => {
  it.each([
    [
      400,
      '{"error":"invalid_redirect_uri","error_description":"Use https\\u0000\\u202e, \\"please\\""}',
      `"invalid_redirect_uri", saying "Use https , 'please'"`,
    ],
    [
      400,
      '{"error":"invalid_client_metadata","error_description":1}',
      '"invalid_client_metadata"; register it',
    ],
    [400, '{"message":"no"}', 'it answered 400'],
    [403, '<html>', 'it answered 403'],
    [401, '', 'it answered 401'],
    [302, '', 'it answered 302'],
    [400, `{"error":"${'x'.repeat(1000)}"}`, `${'x'.repeat(200)}…"`],
  ])('with %i and %j is one sentence', (status, body, why) => {
    const refusal = registrationRefusal(server, { status, body: Buffer.from(body) });
    expect(refusal).toMatchObject({ code: 'registration_refused', isTemporary: false });
    expect(refusal.message).toContain(why);
    expect(refusal.message).toContain("enter the client's id in the entry");
  });

  it('by a server in trouble may be tried again', () => {
    expect(registrationRefusal(server, { status: 503, body: Buffer.alloc(0) })).toMatchObject({
      code: 'unreachable',
      isTemporary: true,
    });
  });
});
