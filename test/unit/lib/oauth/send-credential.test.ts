import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { authenticateClient, basicCredentials } from '../../../../lib/oauth/send-credential.ts';
import { checkProperty } from '../../../support/property.ts';
import { tokenErrorOf } from './refusal.ts';

const server = { issuer: 'https://issuer.test' };
const client = {
  issuer: server.issuer,
  clientId: 'the-client',
  tokenAuthMethod: 'client_secret_basic' as const,
  clientSecret: 'the secret:+%',
};
const decode = (credentials: string): string[] =>
  Buffer.from(credentials, 'base64')
    .toString()
    .split(':')
    .map((part) => new URLSearchParams(`=${part}`).get('') ?? '');

describe('a client shows itself', () => {
  it('in a header, with its id in the form as well', () => {
    const { headers, form, secrets } = authenticateClient(server, client);
    expect(form).toEqual({ client_id: 'the-client' });
    const [scheme, credentials = ''] = (headers['authorization'] ?? '').split(' ');
    expect([scheme, decode(credentials)]).toEqual(['Basic', ['the-client', 'the secret:+%']]);
    expect(secrets).toEqual(['the secret:+%', credentials]);
  });

  it('in the form', () => {
    expect(authenticateClient(server, client, 'client_secret_post')).toEqual({
      headers: {},
      form: { client_id: 'the-client', client_secret: 'the secret:+%' },
      secrets: ['the secret:+%'],
    });
  });

  it('by its id alone, without a secret that it may have', () => {
    expect(authenticateClient(server, client, 'none')).toEqual({
      headers: {},
      form: { client_id: 'the-client' },
      secrets: [],
    });
  });

  it('at its own issuer only, letter by letter', () => {
    const refusal = tokenErrorOf(() => authenticateClient({ issuer: 'https://issuer.test/' }, client));
    expect(refusal).toMatchObject({ code: 'invalid_client', outcome: 'not_sent', isTemporary: false });
    expect(refusal?.message).not.toContain('the secret');
  });

  it.each(['client_secret_basic', 'client_secret_post'] as const)('not without its secret (%s)', (method) => {
    expect(
      tokenErrorOf(() => authenticateClient(server, { ...client, clientSecret: null }, method)),
    ).toMatchObject({ code: 'invalid_client', outcome: 'not_sent' });
  });
});

describe('credentials in a header', () => {
  it('are those of RFC 6749 for any text, and one line', () => {
    const text = fc.string({ unit: 'grapheme', minLength: 1 });
    checkProperty(
      fc.property(text, text, (id, secret) => {
        const credentials = basicCredentials(id, secret);
        expect(credentials).toMatch(/^[A-Za-z0-9+/]+=*$/);
        expect(decode(credentials)).toEqual([id, secret]);
      }),
    );
  });

  it('are as they are for ids and secrets of the usual signs', () => {
    expect(Buffer.from(basicCredentials('0b9e-4f_a.1', 'aZ-_.*9'), 'base64').toString()).toBe(
      '0b9e-4f_a.1:aZ-_.*9',
    );
  });
});
