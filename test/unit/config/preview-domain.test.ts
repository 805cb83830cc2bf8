import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { previewDomain, previewDomainOf, whyNotPreviewDomain } from '../../../config/preview-domain.ts';
import { checkProperty } from '../../support/property.ts';

describe('the domain of previews', () => {
  it.each([
    ['previews.example.net', 'previews.example.net'],
    ['Previews.Example.NET', 'previews.example.net'],
    ['localhost', 'localhost'],
    ['xn--bcher-kva.example', 'xn--bcher-kva.example'],
  ])('may be %s', (text, domain) => {
    expect(previewDomain.parse(text)).toBe(domain);
  });

  it.each([
    ['https://previews.example.net'],
    ['*.previews.example.net'],
    ['previews.example.net:8443'],
    ['previews.example.net/'],
    ['previews.example.net.'],
    ['.example.net'],
    ['previews'],
    ['10.0.0.5'],
    ['[::1]'],
    ['previews..example.net'],
    ['user@example.net'],
    ['a b.example.net'],
    [`${'a'.repeat(60)}.${'b'.repeat(60)}.${'c'.repeat(60)}.${'d'.repeat(60)}.net`],
  ])('is not %s', (text) => {
    expect(previewDomain.safeParse(text).success).toBe(false);
  });

  it.each([
    ['nothing but this machine', { HOST: '127.0.0.1' }, 'localhost'],
    ['localhost', { HOST: '0.0.0.0', PUBLIC_URL: 'http://localhost:8080' }, 'localhost'],
    ['a loopback address', { HOST: '0.0.0.0', PUBLIC_URL: 'http://127.0.0.1:8080' }, 'localhost'],
    ['a name below localhost', { HOST: '0.0.0.0', PUBLIC_URL: 'http://app.localhost:8080' }, null],
    ['an address that others reach', { HOST: '127.0.0.1', PUBLIC_URL: 'https://agents.example.com' }, null],
    ['every address of the machine', { HOST: '0.0.0.0' }, null],
    [
      'an address that others reach, with a domain',
      { HOST: '0.0.0.0', PUBLIC_URL: 'https://agents.example.com', PREVIEW_DOMAIN: 'p.example.net' },
      'p.example.net',
    ],
  ])('is, for a platform at %s, the expected one', (_what, settings, domain) => {
    expect(previewDomainOf(settings)).toBe(domain);
  });
});

describe('the site of previews', () => {
  it.each([
    ['agents.example.com', 'previews.example.net'],
    ['example.com', 'example.net'],
    ['10.0.0.5', 'previews.example.net'],
    ['127.0.0.1', 'localhost'],
    ['localhost', 'localhost'],
    ['localhost', 'previews.example.net'],
  ])('differs from that of %s on %s', (host, domain) => {
    expect(whyNotPreviewDomain(domain, `http://${host}:8080`)).toBeNull();
  });

  it.each([
    ['agents.example.com', 'agents.example.com'],
    ['agents.example.com', 'example.com'],
    ['example.com', 'previews.example.com'],
    ['agents.example.com', 'previews.example.com'],
    ['agents.example.com.', 'previews.example.com'],
    ['a.b.c.example.com', 'd.example.com'],
    ['agents.example.com', 'localhost'],
    ['10.0.0.5', 'localhost'],
    ['app.localhost', 'localhost'],
    // Two sites, which only a list of public suffixes says.
    ['one.co.uk', 'two.co.uk'],
  ])('is not told apart from that of %s on %s', (host, domain) => {
    expect(whyNotPreviewDomain(domain, `https://${host}`)).not.toBeNull();
  });

  it('is another whenever it is allowed: no name is a suffix of both from its last two labels on', () => {
    const label = fc.constantFrom('a', 'b', 'example', 'co');
    const name = fc
      .tuple(fc.array(label, { minLength: 1, maxLength: 3 }), fc.constantFrom('com', 'net', 'uk'))
      .map(([labels, top]) => [...labels, top].join('.'));
    checkProperty(
      fc.property(name, name, (host, domain) => {
        if (whyNotPreviewDomain(domain, `https://${host}`) === null) {
          // Whatever the public suffix is, a registrable domain has one label more than it.
          const suffixes = (of: string) => {
            const labels = of.split('.');
            return labels.map((_, at) => labels.slice(at).join('.')).filter((each) => each.includes('.'));
          };
          expect(suffixes(host).filter((each) => suffixes(domain).includes(each))).toEqual([]);
        }
      }),
    );
  });
});
