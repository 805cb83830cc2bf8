import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  authorizationServerMetadataUrls,
  parseServerUrl,
  resourceMetadataUrls,
} from '../../../../lib/oauth/requests.ts';
import { checkProperty } from '../../../support/property.ts';
import { policy, refusalOf } from './refusal.ts';

const parse = (text: string) => parseServerUrl(policy, text, 'The field "x" with', 'endpoint_refused');

describe('the address of a server', () => {
  it.each([
    'https://server.test/mcp',
    'HTTPS://Server.Test:8443/a?b=c',
    'https://93.184.216.34/',
    'http://127.0.0.1:8080/mcp',
    'https://127.0.0.1:8080/mcp',
  ])('may be %s', (text) => {
    expect(parse(text).href).toBe(new URL(text).href);
  });

  it.each([
    ['javascript:alert(1)', 'begins with https://'],
    ['data:text/html,x', 'begins with https://'],
    ['file:///etc/passwd', 'begins with https://'],
    ['myapp://authorize', 'begins with https://'],
    ['https:server.test', 'begins with https://'],
    ['//server.test/', 'begins with https://'],
    ['/authorize', 'begins with https://'],
    ['', 'begins with https://'],
    [' https://server.test/', 'begins with https://'],
    ['https://server.test/\n', 'begins with https://'],
    ['ht\ttps://server.test/', 'begins with https://'],
    ['https://server.test\\@evil.test/', 'begins with https://'],
    ['https://sërver.test/', 'begins with https://'],
    ['https://', 'begins with https://'],
    [`https://server.test/${'x'.repeat(2048)}`, 'begins with https://'],
    ['https://user:password@server.test/', 'user name or password'],
    ['https://user@server.test/', 'user name or password'],
    ['https://server.test/#fragment', 'fragment'],
    ['https://server.test/#', 'fragment'],
    ['http://server.test/', 'is not https; SETTING of the API names'],
    ['https://127.0.0.1/', 'private address'],
    ['https://2130706433/', 'private address'],
    ['https://[::1]/', 'private address'],
    ['https://[::ffff:10.0.0.1]/', 'private address'],
    ['https://169.254.169.254/latest/meta-data', 'never connected to'],
    ['http://127.0.0.1:8081/', 'is not https'],
  ])('may not be %j', (text, why) => {
    const refusal = refusalOf(() => parse(text));
    expect(refusal).toMatchObject({ code: 'endpoint_refused', isTemporary: false });
    expect(refusal?.message).toContain(why);
    expect(refusal?.message).toMatch(/^The field "x" with ".*" .+\.$/);
  });
});

const hrefs = (urls: readonly URL[]) => urls.map(({ href }) => href);

describe('protected resource metadata', () => {
  it.each([
    [
      'https://server.test/public/mcp',
      [
        'https://server.test/.well-known/oauth-protected-resource/public/mcp',
        'https://server.test/.well-known/oauth-protected-resource',
      ],
    ],
    [
      'https://server.test/mcp/',
      [
        'https://server.test/.well-known/oauth-protected-resource/mcp',
        'https://server.test/.well-known/oauth-protected-resource',
      ],
    ],
    ['https://server.test', ['https://server.test/.well-known/oauth-protected-resource']],
    [
      'https://server.test:8443/mcp?tenant=1',
      [
        'https://server.test:8443/.well-known/oauth-protected-resource/mcp?tenant=1',
        'https://server.test:8443/.well-known/oauth-protected-resource',
      ],
    ],
    [
      'https://server.test//evil.test/mcp',
      [
        'https://server.test/.well-known/oauth-protected-resource//evil.test/mcp',
        'https://server.test/.well-known/oauth-protected-resource',
      ],
    ],
  ])('of %s', (server, expected) => {
    expect(hrefs(resourceMetadataUrls(new URL(server)))).toEqual(expected);
  });
});

describe('authorization server metadata', () => {
  it.each([
    [
      'https://issuer.test',
      [
        'https://issuer.test/.well-known/oauth-authorization-server',
        'https://issuer.test/.well-known/openid-configuration',
      ],
    ],
    [
      'https://issuer.test/tenant1',
      [
        'https://issuer.test/.well-known/oauth-authorization-server/tenant1',
        'https://issuer.test/.well-known/openid-configuration/tenant1',
        'https://issuer.test/tenant1/.well-known/openid-configuration',
      ],
    ],
    [
      'https://issuer.test/a/b/',
      [
        'https://issuer.test/.well-known/oauth-authorization-server/a/b',
        'https://issuer.test/.well-known/openid-configuration/a/b',
        'https://issuer.test/a/b/.well-known/openid-configuration',
      ],
    ],
    [
      'https://issuer.test//evil.test',
      [
        'https://issuer.test/.well-known/oauth-authorization-server//evil.test',
        'https://issuer.test/.well-known/openid-configuration//evil.test',
        'https://issuer.test//evil.test/.well-known/openid-configuration',
      ],
    ],
  ])('of %s', (issuer, expected) => {
    expect(hrefs(authorizationServerMetadataUrls(new URL(issuer)))).toEqual(expected);
  });
});

it('no path leads to another origin', () => {
  checkProperty(
    fc.property(fc.string({ maxLength: 40 }), (path) => {
      const text = `https://server.test/${path}`;
      fc.pre(URL.canParse(text));
      const url = new URL(text);
      for (const { origin, username } of [
        ...resourceMetadataUrls(url),
        ...authorizationServerMetadataUrls(url),
      ]) {
        expect([origin, username]).toEqual(['https://server.test', '']);
      }
    }),
  );
});
