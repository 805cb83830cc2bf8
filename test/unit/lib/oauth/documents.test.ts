import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { authorizationServerMetadataUrls, resourceMetadataUrls } from '../../../../lib/oauth/documents.ts';
import { checkProperty } from '../../../support/property.ts';

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
