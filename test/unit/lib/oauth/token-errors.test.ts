import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { repeatsSecret } from '../../../../lib/oauth/errors.ts';
import { tokenRefusal } from '../../../../lib/oauth/token-errors.ts';
import { checkProperty } from '../../../support/property.ts';

const server = { issuer: 'https://issuer.test' };
const secrets = ['eyJ+a/Zb9.q8Rk2LmNp4Ws', '7Hc-0dE_x'];
const refusal = (status: number, body: unknown) =>
  tokenRefusal(
    server,
    { status, body: Buffer.from(typeof body === 'string' ? body : JSON.stringify(body)), secrets },
    'to give tokens',
  );

describe('a refusal of tokens', () => {
  it.each([
    ['invalid_grant', 'invalid_grant', 'sign in again.'],
    ['bad_refresh_token', 'invalid_grant', 'sign in again.'],
    ['invalid_client', 'invalid_client', 'has to be registered there again.'],
    ['invalid_target', 'invalid_target', 'gives no tokens for this MCP server'],
    ['invalid_scope', 'invalid_scope', 'an admin can change the scopes'],
    ['invalid_request', 'request_refused', "ask the server's operator."],
    ['__proto__', 'request_refused', "ask the server's operator."],
  ])('by %s is %s', (error, code, way) => {
    for (const status of [400, 401, 403, 200]) {
      const found = refusal(status, { error, error_description: 'Why\u001b[1m not' });
      expect(found).toMatchObject({ code, outcome: 'refused', isTemporary: false });
      expect(found.message).toContain(`refuses to give tokens: "${error}", saying "Why [1m not"; `);
      expect(found.message).toContain(way);
    }
  });

  it('by unauthorized_client is of a client that the server knows, but with 401, as the Python SDK answers', () => {
    const codeOf = (status: number) => refusal(status, { error: 'unauthorized_client' }).code;
    expect([400, 403, 200].map(codeOf)).toEqual(Array(3).fill('request_refused'));
    expect(codeOf(401)).toBe('invalid_client');
  });

  it.each([
    [429, '', 'refused'],
    [500, { error: 'invalid_grant' }, 'unknown'],
    [503, '', 'unknown'],
    [504, '', 'unknown'],
    [400, { error: 'temporarily_unavailable' }, 'unknown'],
  ])('with %i and %j may be tried again', (status, body, outcome) => {
    expect(refusal(status, body)).toMatchObject({ code: 'unreachable', outcome, isTemporary: true });
  });

  it.each(['', '<h1>Unauthorized</h1>', '{"error":7}', '{"error":""}', '[]', '{"message":"invalid_client"}'])(
    'with 401 and %j does not say that the client is unknown',
    (body) => {
      const found = refusal(401, body);
      expect(found).toMatchObject({ code: 'request_refused', outcome: 'refused' });
      expect(found.message).toContain('refuses to give tokens: it answered 401; ');
    },
  );

  it.each([
    ['as it was', secrets[0]],
    ['in a sentence', `The token ${secrets[0]} is unknown`],
    ['in part', `unknown: ${secrets[0]?.slice(0, 16)}…`],
    ['in capitals', secrets[0]?.toUpperCase()],
    ['encoded', encodeURIComponent(secrets[0] ?? '')],
    ['split', secrets[0]?.replace('q8', 'q\u200b8')],
    ['a short one', `Is ${secrets[1]} right?`],
  ])('leaves words out that repeat a secret %s', (_what, description) => {
    for (const said of [{ error: 'invalid_grant', error_description: description }, { error: description }]) {
      const { message } = refusal(400, said);
      expect(message).toContain('with words that are left out because they repeat a credential');
      expect(message).not.toMatch(/Zb9|ZB9|7Hc/);
    }
  });

  it('is not told by an unrelated text', () => {
    expect(
      refusal(400, { error: 'invalid_grant', error_description: 'The token has expired' }).message,
    ).toContain('saying "The token has expired"');
  });
});

describe('a secret in a text', () => {
  it('is found wherever it is', () => {
    const secret = fc.stringMatching(/^[A-Za-z0-9._~+/=-]{1,80}$/);
    checkProperty(
      fc.property(secret, fc.string(), fc.string(), (each, before, after) => {
        expect(repeatsSecret(`${before}${each}${after}`, ['', each])).toBe(true);
        expect(repeatsSecret(before, [''])).toBe(false);
      }),
    );
  });
});
