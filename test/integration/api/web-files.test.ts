import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliCompressSync, brotliDecompressSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { loadWebFiles } from '../../../api/web-files/load-web-files.ts';
import { startTestApi, type TestApi } from '../../support/api.ts';

const script = `export const text = ${JSON.stringify('x'.repeat(2000))};`;

describe('the web UI', () => {
  let api: TestApi;
  const directory = mkdtempSync(join(tmpdir(), 'web-'));

  beforeAll(async () => {
    mkdirSync(join(directory, '_assets'));
    mkdirSync(join(directory, '.vite'));
    writeFileSync(
      join(directory, 'index.html'),
      '<meta nonce="__CSP_NONCE__" /><script>start();</script><p>the page</p>',
    );
    writeFileSync(join(directory, '_assets/index-1.js'), script);
    writeFileSync(join(directory, '_assets/index-1.js.br'), brotliCompressSync(script));
    writeFileSync(join(directory, 'icon.svg'), '<svg/>');
    writeFileSync(join(directory, '.vite/manifest.json'), '{}');
    api = await startTestApi({}, undefined, loadWebFiles(directory));
  });
  afterAll(async () => {
    await api.stop();
    rmSync(directory, { recursive: true });
  });

  /** Sends the path as written: `fetch` would normalize it. */
  const raw = (path: string, headers: Record<string, string> = {}, method = 'GET') =>
    new Promise<{ status: number | undefined; headers: Record<string, unknown>; body: Buffer }>(
      (resolve, reject) => {
        const sent = request(api.url, { path, headers, method }, (answer) => {
          const chunks: Buffer[] = [];
          answer.on('data', (chunk) => chunks.push(chunk));
          answer.on('end', () =>
            resolve({ status: answer.statusCode, headers: answer.headers, body: Buffer.concat(chunks) }),
          );
        });
        sent.on('error', reject);
        sent.end();
      },
    );

  it.each(['/', '/app'])('is the target of %s', async (path) => {
    const { status, headers } = await raw(path);
    expect({ status, location: headers['location'] }).toEqual({ status: 302, location: '/app/' });
  });

  it.each(['/app/', '/app/demo/sessions/1?x=y', '/app/_/new', '/app/%'])(
    'serves its page at %s, never from a cache',
    async (path) => {
      const { status, headers, body } = await raw(path);
      expect(status).toBe(200);
      expect(headers['content-type']).toBe('text/html; charset=utf-8');
      expect(headers['cache-control']).toBe('no-store');
      const nonce = /nonce="([A-Za-z0-9+/]{22}==)"/.exec(body.toString())?.[1];
      expect(headers['content-security-policy']).toContain(`style-src 'self' 'nonce-${nonce}';`);
      const hash = createHash('sha256').update('start();').digest('base64');
      expect(headers['content-security-policy']).toContain(`script-src 'self' 'sha256-${hash}';`);
    },
  );

  it('gives each answer a nonce of its own', async () => {
    const [first, second] = await Promise.all([raw('/app/'), raw('/app/')]);
    expect(first.body.toString()).not.toBe(second.body.toString());
  });

  it('caches files with a hash in the name, compressed for clients that accept it', async () => {
    const plain = await raw('/app/_assets/index-1.js');
    expect(plain.headers['cache-control']).toBe('public, max-age=31536000, immutable');
    expect(plain.headers['content-type']).toBe('text/javascript; charset=utf-8');
    expect(plain.headers['x-content-type-options']).toBe('nosniff');
    expect(plain.body.toString()).toBe(script);
    const small = await raw('/app/_assets/index-1.js', { 'accept-encoding': 'gzip' });
    expect(small.headers['content-encoding']).toBe('gzip');
    expect(small.headers['vary']).toBe('Accept-Encoding');
    expect(small.body.length).toBeLessThan(plain.body.length);
    const smallest = await raw('/app/_assets/index-1.js', { 'accept-encoding': 'gzip, deflate, br, zstd' });
    expect(smallest.headers['content-encoding']).toBe('br');
    expect(brotliDecompressSync(smallest.body).toString()).toBe(script);
    const refused = await raw('/app/_assets/index-1.js', { 'accept-encoding': 'gzip, br;q=0' });
    expect(refused.headers['content-encoding']).toBe('gzip');
    expect((await raw('/app/_assets/index-1.js.br')).status).toBe(404);
    expect((await raw('/app/icon.svg')).headers['cache-control']).toBe('no-cache');
  });

  it.each([
    '/app/_assets/index-2.js',
    '/app/_assets/',
    '/app/_assets/../index.html',
    '/app/_assets/%2e%2e/%2e%2e/package.json',
    '/app/_assets/..%2f..%2fpackage.json',
  ])('has no file %s', async (path) => {
    expect((await raw(path)).status).toBe(404);
  });

  it.each(['/app/../package.json', '/app/.vite/manifest.json', '/app//etc/passwd'])(
    'answers %s with its page, not with a file',
    async (path) => {
      expect((await raw(path)).body.toString()).toContain('the page');
    },
  );

  it('answers HEAD without a body, and accepts no other method', async () => {
    const head = await raw('/app/', {}, 'HEAD');
    expect({ status: head.status, length: head.body.length }).toEqual({ status: 200, length: 0 });
    const post = await raw('/app/', {}, 'POST');
    expect({ status: post.status, allow: post.headers['allow'] }).toEqual({
      status: 405,
      allow: 'GET, HEAD',
    });
  });

  it('is not served under another host name', async () => {
    expect((await raw('/app/', { host: 'evil.example' })).status).toBe(403);
  });

  it('leaves the content policy of the API unchanged', async () => {
    expect((await raw('/api/health')).headers['content-security-policy']).toBe(
      "default-src 'none'; frame-ancestors 'none'",
    );
  });
});

it('is absent if it was not built, and refuses a page without a placeholder for the nonce', () => {
  const empty = mkdtempSync(join(tmpdir(), 'web-'));
  try {
    expect(loadWebFiles(empty)).toBeNull();
    writeFileSync(join(empty, 'index.html'), '<p>no place</p>');
    expect(() => loadWebFiles(empty)).toThrow('__CSP_NONCE__');
  } finally {
    rmSync(empty, { recursive: true });
  }
});
