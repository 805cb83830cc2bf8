import { expect, it } from '@jest/globals';
import { createDocumentCache } from '../../../../../runtime/process/packages/proxy/document-cache.ts';

const documentOf = (sizeBytes: number) => ({ contentType: 'text/html', bytes: Buffer.alloc(sizeBytes) });

it('creates a document once, caches no failure, and evicts the oldest when full', async () => {
  const made: string[] = [];
  const cache = createDocumentCache(10_000);
  const get = (key: string, sizeBytes: number) =>
    cache(key, async () => {
      made.push(key);
      return documentOf(sizeBytes);
    });
  await Promise.all([get('a', 4000), get('a', 4000)]);
  await get('b', 2000);
  await get('a', 4000);
  expect(made).toEqual(['a', 'b']);
  await get('c', 3000);
  await get('b', 2000);
  await get('c', 3000);
  await get('a', 4000);
  expect(made).toEqual(['a', 'b', 'c', 'a']);
  const fails = () => cache('d', () => Promise.reject(new Error('away')));
  await expect(fails()).rejects.toThrow('away');
  await get('d', 1);
  expect(await cache('none', async () => null)).toBeNull();
  expect(made.at(-1)).toBe('d');
});
