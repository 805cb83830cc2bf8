import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { parseTokens } from '../../../../lib/oauth/tokens.ts';
import { checkProperty } from '../../../support/property.ts';
import { refusalOf } from './refusal.ts';

const server = { issuer: 'https://issuer.test' };
const now = new Date('2026-11-25T12:00:00Z');
const honest = {
  access_token: 'the-access-token',
  token_type: 'Bearer',
  expires_in: 3600,
  refresh_token: 'the-refresh-token',
  scope: 'notes.read notes.write',
  id_token: 'the-id-token',
};
const read = (fields: object) =>
  parseTokens(server, JSON.parse(JSON.stringify({ ...honest, ...fields })), now);
const inSeconds = (seconds: number) => new Date(now.getTime() + seconds * 1000);

describe('tokens', () => {
  it('are read, and no id_token with them', () => {
    expect(read({})).toEqual({
      accessToken: 'the-access-token',
      refreshToken: 'the-refresh-token',
      expiresAt: inSeconds(3600),
      scopes: ['notes.read', 'notes.write'],
      tokenType: 'Bearer',
    });
  });

  it.each([
    ['a type in other letters', { token_type: 'bEARER' }, { tokenType: 'Bearer' }],
    ['no lifetime', { expires_in: undefined }, { expiresAt: null }],
    ['a lifetime that is null', { expires_in: null }, { expiresAt: null }],
    ['a lifetime as a text', { expires_in: '60' }, { expiresAt: inSeconds(60) }],
    ['a lifetime as a long text', { expires_in: '9'.repeat(40) }, { expiresAt: inSeconds(365 * 24 * 3600) }],
    ['a lifetime of 0, which says nothing', { expires_in: 0 }, { expiresAt: null }],
    ['a lifetime of 0 as a text', { expires_in: '0' }, { expiresAt: null }],
    ['a lifetime in fractions', { expires_in: 59.5 }, { expiresAt: inSeconds(59.5) }],
    ['a lifetime in fractions as a text', { expires_in: '59.5' }, { expiresAt: inSeconds(59.5) }],
    ['a lifetime of ages', { expires_in: 1e300 }, { expiresAt: inSeconds(365 * 24 * 3600) }],
    ['no refresh token', { refresh_token: undefined }, { refreshToken: null }],
    ['a refresh token that is null', { refresh_token: null }, { refreshToken: null }],
    ['an empty refresh token', { refresh_token: '' }, { refreshToken: null }],
    ['no scope', { scope: undefined }, { scopes: null }],
    ['an empty scope', { scope: '' }, { scopes: null }],
    ['a scope twice', { scope: ' a  b a ' }, { scopes: ['a', 'b'] }],
    ['scopes with commas, as GitHub sends them', { scope: 'repo,gist' }, { scopes: ['repo', 'gist'] }],
    ['a scope with a comma among others', { scope: 'a,b c' }, { scopes: ['a,b', 'c'] }],
    ['more scopes', { scope: 'notes.read admin' }, { scopes: ['notes.read', 'admin'] }],
    ['signs beyond RFC 6750', { access_token: '1|aZ:%"' }, { accessToken: '1|aZ:%"' }],
  ])('are accepted with %s', (_what, fields, expected) => {
    expect(read(fields)).toMatchObject(expected);
  });

  it.each([
    ['no access token', { access_token: undefined }, '"access_token" is missing'],
    ['an empty access token', { access_token: '' }, '"access_token" holds a value'],
    ['a list of access tokens', { access_token: ['the-access-token'] }, 'must be a text'],
    ['an access token that splits a header', { access_token: 'a\r\nX: y' }, 'only characters of a token'],
    ['an access token with a space', { access_token: 'a b' }, 'only characters of a token'],
    ['an access token beyond ASCII', { access_token: 'tökén' }, 'only characters of a token'],
    ['an access token with NUL', { access_token: 'a\u0000b' }, 'only characters of a token'],
    ['an access token beyond the limit', { access_token: 'x'.repeat(65_537) }, 'is longer than 65536'],
    ['a refresh token with a line break', { refresh_token: 'a\nb' }, 'only characters of a token'],
    ['a refresh token that is an object', { refresh_token: {} }, 'must be a text'],
    ['no type', { token_type: undefined }, '"token_type" is missing'],
    ['type mac', { token_type: 'mac' }, 'must be "Bearer"'],
    ['type DPoP', { token_type: 'DPoP' }, 'must be "Bearer"'],
    ['type Bearer and more', { token_type: 'Bearer x' }, 'must be "Bearer"'],
    ['a negative lifetime', { expires_in: -1 }, 'must not be negative'],
    ['a lifetime in words', { expires_in: 'soon' }, 'must be a number of seconds'],
    ['a lifetime in another notation', { expires_in: '1e3' }, 'must be a number of seconds'],
    ['a lifetime in a list', { expires_in: [60] }, 'must be a number of seconds'],
    ['scopes in a list', { scope: ['a'] }, 'must be a text'],
    ['a scope with a control', { scope: 'a\u0007b' }, 'only characters of scopes'],
    ['a scope with a quote', { scope: 'a"b' }, 'only characters of scopes'],
    [
      'too many scopes',
      { scope: Array.from({ length: 101 }, (_, at) => `s${at}`).join(' ') },
      'at most 100 scopes',
    ],
  ])('are refused with %s', (_what, fields, why) => {
    const refusal = refusalOf(() => read(fields));
    expect(refusal).toMatchObject({ code: 'answer_refused', isTemporary: false });
    expect(refusal?.message).toContain(why);
  });

  it('repeat nothing of what they hold when they are refused, wherever it is', () => {
    for (const name of Object.keys(honest)) {
      const moved = { ...honest, access_token: 7, [name]: 'the-access-token \u0007' };
      expect(refusalOf(() => read(moved))?.message).not.toMatch(/the-(access|refresh)/);
    }
  });

  it.each([null, [], 'the-access-token', 7])('are not %j', (value) => {
    expect(refusalOf(() => parseTokens(server, value, now))?.message).toContain('is not a JSON object');
  });

  it('are not inherited', () => {
    const value = JSON.parse(`{"__proto__": ${JSON.stringify(honest)}}`);
    expect(refusalOf(() => parseTokens(server, value, now))?.message).toContain('"access_token" is missing');
  });

  it('fit into a header and have a date, whatever an answer holds', () => {
    const mixed = fc.record(
      Object.fromEntries(
        Object.entries(honest).map(([name, value]) => [
          name,
          fc.oneof(
            { weight: 5, arbitrary: fc.constant(value) },
            { weight: 1, arbitrary: fc.jsonValue() },
            { weight: 1, arbitrary: fc.double() },
          ),
        ]),
      ),
      { requiredKeys: [] },
    );
    checkProperty(
      fc.property(mixed, (fields) => {
        const refusal = refusalOf(() => {
          const { accessToken, expiresAt, scopes } = parseTokens(server, fields, now);
          expect(accessToken).toMatch(/^[\x21-\x7e]+$/);
          expect(expiresAt?.getTime() ?? now.getTime()).toBeGreaterThanOrEqual(now.getTime());
          expect(expiresAt?.getTime() ?? 0).toBeLessThanOrEqual(inSeconds(365 * 24 * 3600).getTime());
          expect(scopes?.length).not.toBe(0);
        });
        expect(refusal?.message ?? '').not.toMatch(/the-(access|refresh|id)-token/);
      }),
    );
  });
});
