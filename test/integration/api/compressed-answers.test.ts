/** JSON that is sent compressed, and to whom never: its length would tell another site what is in it. */
import { request } from 'node:http';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Person, startTestApi, type TestApi } from '../../support/api.ts';

let api: TestApi;
let admin: Person;
let base: string;
/** More than a KiB of audit events. */
let list: string;

beforeAll(async () => {
  api = await startTestApi();
  ({ admin, base } = await api.workspace());
  list = `${base}/audit-events`;
  for (const name of ['FIRST', 'SECOND', 'THIRD', 'FOURTH']) {
    await admin.ok('PUT', `${base}/secrets/${name}`, { value: 'a value' });
  }
});
afterAll(() => api.stop());

const own = { 'sec-fetch-site': 'same-origin' };
const everything = { 'accept-encoding': 'gzip, deflate, br, zstd' };

interface Raw {
  status: number | undefined;
  encoding: string | undefined;
  vary: string | undefined;
  type: string | undefined;
  bytes: Buffer;
}

/** A request with headers that `fetch` does not let a program set, and its answer as it was sent. */
function raw(path: string, headers: Record<string, string>): Promise<Raw> {
  return new Promise((resolve, reject) => {
    const sent = request(api.url + path, { headers: { cookie: admin.cookie, ...headers } }, (answer) => {
      const chunks: Buffer[] = [];
      answer.on('data', (chunk: Buffer) => chunks.push(chunk));
      answer.on('end', () =>
        resolve({
          status: answer.statusCode,
          encoding: answer.headers['content-encoding'],
          vary: answer.headers.vary,
          type: answer.headers['content-type'],
          bytes: Buffer.concat(chunks),
        }),
      );
    });
    sent.on('error', reject);
    sent.end();
  });
}

const plain = async () => (await raw(list, own)).bytes;

describe('a list', () => {
  it('is sent to our own pages as small as they can read it', async () => {
    const asWritten = await plain();
    expect(asWritten.length).toBeGreaterThan(1024);
    const smallest = await raw(list, { ...own, ...everything });
    expect({ ...smallest, bytes: brotliDecompressSync(smallest.bytes) }).toEqual({
      status: 200,
      encoding: 'br',
      vary: 'Accept-Encoding, Sec-Fetch-Site',
      type: 'application/json; charset=utf-8',
      bytes: asWritten,
    });
    expect(smallest.bytes.length).toBeLessThan(asWritten.length / 2);
    const zipped = await raw(list, { 'sec-fetch-site': 'none', 'accept-encoding': 'gzip, br;q=0' });
    expect(zipped.encoding).toBe('gzip');
    expect(gunzipSync(zipped.bytes)).toEqual(asWritten);
  });

  it('is sent as it is to who reads nothing else, and where it is short', async () => {
    for (const headers of [{}, { 'accept-encoding': 'identity' }, { 'accept-encoding': 'zstd' }]) {
      const { encoding, vary, bytes } = await raw(list, { ...own, ...headers });
      expect({ encoding, vary }).toEqual({ encoding: undefined, vary: 'Accept-Encoding, Sec-Fetch-Site' });
      expect(JSON.parse(bytes.toString())).toHaveProperty('audit_events');
    }
    const short = await raw(`${list}?limit=1`, { ...own, ...everything });
    expect({ status: short.status, encoding: short.encoding }).toEqual({ status: 200, encoding: undefined });
  });
});

describe('no length tells another site anything:', () => {
  it.each([
    ['another site', { 'sec-fetch-site': 'cross-site' }],
    ['another origin of this site', { 'sec-fetch-site': 'same-site' }],
    ['a link of another site', { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate' }],
    ['a page that says nothing of itself', {}],
    ['a page that says two things', { 'sec-fetch-site': 'same-origin, cross-site' }],
    ['a foreign origin', { ...own, origin: 'https://evil.test' }],
  ])('nothing is compressed for %s', async (_, headers) => {
    const { encoding, bytes } = await raw(list, { ...headers, ...everything });
    expect(encoding).toBeUndefined();
    expect(typeof JSON.parse(bytes.toString())).toBe('object');
  });

  it('nor is a stream, an export or a failure, nor what no list of routes names', async () => {
    const asked = [
      { path: list, headers: { accept: 'application/x-ndjson' }, status: 200 },
      { path: `${list}?cursor=none`, headers: {}, status: 422 },
      { path: `${base}/secrets`, headers: {}, status: 200 },
      { path: '/api/me', headers: {}, status: 200 },
    ];
    for (const { path, headers, status } of asked) {
      const answer = await raw(path, { ...own, ...everything, ...headers });
      expect({ path, status: answer.status, encoding: answer.encoding }).toEqual({
        path,
        status,
        encoding: undefined,
      });
    }
  });
});
