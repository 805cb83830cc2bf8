import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { requireOwnResource, resourceRefusal } from '../../../../lib/oauth/metadata.ts';
import { checkProperty } from '../../../support/property.ts';
import { refusalOf } from './refusal.ts';

const refusal = (resource: string, server: string) => resourceRefusal(resource, new URL(server));

describe('a resource', () => {
  it.each([
    ['https://server.test/mcp', 'https://server.test/mcp'],
    ['https://server.test/mcp/', 'https://server.test/mcp'],
    ['https://server.test/mcp', 'https://server.test/mcp/'],
    ['https://server.test', 'https://server.test/mcp'],
    ['https://server.test/', 'https://server.test/a/b/mcp'],
    ['https://server.test/a', 'https://server.test/a/b/mcp'],
    ['https://server.test/a/b/', 'https://server.test/a/b/mcp'],
    ['HTTPS://SERVER.test/mcp', 'https://server.test/mcp'],
    ['https://server.test:443/mcp', 'https://server.test/mcp'],
    ['https://server.test/mcp?tenant=1', 'https://server.test/mcp?tenant=1'],
    ['https://server.test/mcp', 'https://server.test/mcp?tenant=1'],
    ['https://server.test/a%2Fb', 'https://server.test/a%2Fb'],
  ])('%s may be the one of %s', (resource, server) => {
    expect(refusal(resource, server)).toBeNull();
  });

  it.each([
    ['https://evil.test/mcp', 'https://server.test/mcp', 'is on another origin'],
    ['https://server.test.evil.test/mcp', 'https://server.test/mcp', 'is on another origin'],
    ['https://server.test./mcp', 'https://server.test/mcp', 'is on another origin'],
    ['http://server.test/mcp', 'https://server.test/mcp', 'is on another origin'],
    ['https://server.test:8443/mcp', 'https://server.test/mcp', 'is on another origin'],
    ['https://server.test/mcp/deeper', 'https://server.test/mcp', 'is not a parent path of the URL'],
    ['https://server.test/mc', 'https://server.test/mcp', 'is not a parent path of the URL'],
    ['https://server.test/mcp-other', 'https://server.test/mcp', 'is not a parent path of the URL'],
    ['https://server.test/other', 'https://server.test/mcp', 'is not a parent path of the URL'],
    ['https://server.test/MCP', 'https://server.test/mcp', 'is not a parent path of the URL'],
    ['https://server.test/%6Dcp', 'https://server.test/mcp', 'is not a parent path of the URL'],
    ['https://server.test/x/../mcp', 'https://server.test/mcp', 'has a path that can be read in two ways'],
    [
      'https://server.test/x/%2e%2E/mcp',
      'https://server.test/mcp',
      'has a path that can be read in two ways',
    ],
    ['https://server.test/.', 'https://server.test/mcp', 'has a path that can be read in two ways'],
    ['https://server.test/a%2fmcp', 'https://server.test/a/mcp', 'has a path that can be read in two ways'],
    ['https://server.test\\mcp', 'https://server.test/mcp', 'has a path that can be read in two ways'],
    ['https://server.test/mcp?x=1', 'https://server.test/mcp', 'has a query that is not in the URL'],
    [
      'https://server.test/?tenant=1',
      'https://server.test/mcp?tenant=1',
      'has a query that is not in the URL',
    ],
    ['https://user@server.test/mcp', 'https://server.test/mcp', 'has a user name, password or fragment'],
    ['https://:x@server.test/mcp', 'https://server.test/mcp', 'has a user name, password or fragment'],
    ['https://server.test/mcp#x', 'https://server.test/mcp', 'has a user name, password or fragment'],
    ['https://server.test/mcp#', 'https://server.test/mcp', 'has a user name, password or fragment'],
    ['https://server.test@evil.test/mcp', 'https://server.test/mcp', 'has a user name, password or fragment'],
    ['urn:server:mcp', 'https://server.test/mcp', 'is not a web address'],
    ['/mcp', 'https://server.test/mcp', 'is not a web address'],
    ['', 'https://server.test/mcp', 'is not a web address'],
    [' https://server.test/mcp', 'https://server.test/mcp', 'is not a web address'],
    ['https://server.test/m\tcp', 'https://server.test/mcp', 'is not a web address'],
    ['https://', 'https://server.test/mcp', 'is not a web address'],
  ])('%s may not be the one of %s', (resource, server, why) => {
    expect(refusal(resource, server)).toBe(why);
  });

  const segment = fc.stringMatching(/^[a-z0-9_~-]{1,5}$/);
  const segments = fc.array(segment, { maxLength: 5 });
  const url = (parts: readonly string[]) => `https://server.test/${parts.join('/')}`;

  it('is a parent exactly when its segments begin those of the URL', () => {
    checkProperty(
      fc.property(segments, segments, (own, named) => {
        const isParent = named.every((each, at) => own[at] === each);
        expect(refusal(url(named), url(own)) === null).toBe(isParent);
      }),
    );
  });

  it('is accepted with and without a slash at its end, from every depth', () => {
    checkProperty(
      fc.property(segments, fc.nat(5), fc.boolean(), fc.boolean(), (own, depth, slash, ownSlash) => {
        const named = own.slice(0, depth);
        const ended = (text: string, isEnded: boolean) =>
          isEnded && !text.endsWith('/') ? `${text}/` : text;
        expect(refusal(ended(url(named), slash), ended(url(own), ownSlash))).toBeNull();
      }),
    );
  });

  it('is never accepted from another origin', () => {
    checkProperty(
      fc.property(fc.webUrl({ withQueryParameters: true, withFragments: true }), segments, (named, own) => {
        fc.pre(new URL(named).origin !== 'https://server.test');
        expect(refusal(named, url(own))).not.toBeNull();
      }),
    );
  });

  it('that is refused is named in one sentence', () => {
    const refused = refusalOf(() =>
      requireOwnResource('https://honest.test/', new URL('https://evil.test/mcp')),
    );
    expect(refused).toMatchObject({
      code: 'resource_refused',
      message:
        'The server at "https://evil.test/mcp" says in "resource" that it is "https://honest.test/", which is on another origin; tokens would be made for another server, so correct the URL or ask the server\'s operator.',
    });
    expect(
      refusalOf(() => requireOwnResource('https://evil.test/', new URL('https://evil.test/mcp'))),
    ).toBeNull();
  });
});
