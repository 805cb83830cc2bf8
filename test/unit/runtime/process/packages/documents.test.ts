import { describe, expect, it } from '@jest/globals';
import {
  createKnownFiles,
  rewritePackument,
  rewriteSimpleHtml,
  rewriteSimpleJson,
} from '../../../../../runtime/process/packages/proxy/documents.mjs';

const base = new URL('https://index.example/simple/some-server/');
const rewrite = (url: URL) => `proxy:${url.href}`;

describe('the document of a registry about a package', () => {
  it('has every npm tarball URL replaced by one of the proxy, and nothing else changed', () => {
    const dist = { tarball: '/some-server/-/some-server-1.0.0.tgz', integrity: 'sha512-x' };
    const document = {
      name: 'some-server',
      'dist-tags': { latest: '1.0.0' },
      versions: { '1.0.0': { bin: 'x', dist } },
    };
    expect(JSON.parse(rewritePackument(JSON.stringify(document), base, rewrite))).toEqual({
      ...document,
      versions: {
        '1.0.0': { bin: 'x', dist: { ...dist, tarball: `proxy:https://index.example${dist.tarball}` } },
      },
    });
  });

  it('has every file URL of a Python index replaced, in JSON', () => {
    const page = {
      meta: { 'api-version': '1.1' },
      name: 'x',
      files: [{ filename: 'a.whl', url: 'a.whl', hashes: { sha256: 'h' } }],
    };
    expect(JSON.parse(rewriteSimpleJson(JSON.stringify(page), base, rewrite))).toEqual({
      ...page,
      files: [{ ...page.files[0], url: `proxy:${base.href}a.whl` }],
    });
  });

  it('has them replaced in HTML, however they are written; invalid URLs are removed', () => {
    const page = `<a href="../../a.whl?x=1&amp;y=2#sha256=h">a</a><a HREF = 'https://files.example/b.whl'>b</a><a href="http://[">c</a>`;
    expect(rewriteSimpleHtml(page, base, rewrite)).toBe(
      `<a href="proxy:https://index.example/a.whl?x=1&y=2#sha256=h">a</a><a href="proxy:https://files.example/b.whl">b</a><a href="">c</a>`,
    );
  });

  it.each(['{}', 'null', 'not JSON', '{"versions":{"1.0.0":{}}}', '{"files":[{}]}'])(
    'is refused as %s',
    (text) => {
      expect(() => rewritePackument(text, base, rewrite)).toThrow();
      expect(() => rewriteSimpleJson(text, base, rewrite)).toThrow();
    },
  );
});

describe('the files that documents named', () => {
  const files = createKnownFiles('http://127.0.0.1:1');

  it('have stable URLs with their fragment, and are found by them', () => {
    const address = files.addressOf(new URL('https://files.example/a.whl#sha256=h'), 'uv');
    expect(address).toMatch(/^http:\/\/127\.0\.0\.1:1\/file\/[0-9a-f]{64}\/a\.whl#sha256=h$/);
    expect(files.addressOf(new URL('https://files.example/a.whl#sha256=h'), 'uv')).toBe(address);
    const id = new URL(address).pathname.split('/')[2] ?? '';
    expect(files.find(id)).toEqual({ manager: 'uv', href: 'https://files.example/a.whl' });
    expect(files.find('0'.repeat(64))).toBeNull();
  });

  it.each(['file:///etc/passwd', `https://files.example/${'x'.repeat(256)}`])(
    'are not those of %s',
    (url) => {
      expect(files.addressOf(new URL(url), 'npm')).toBe('');
    },
  );

  it('are limited, together with their URLs', () => {
    const many = createKnownFiles('http://127.0.0.1:1');
    const long = `https://files.example/${'x/'.repeat(4_000_000)}`;
    const addresses = Array.from({ length: 10 }, (_, at) => many.addressOf(new URL(`${long}${at}`), 'npm'));
    expect(addresses.filter((address) => address !== '')).toHaveLength(8);
  });
});
