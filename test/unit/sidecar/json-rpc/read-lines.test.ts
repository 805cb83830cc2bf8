import { Readable } from 'node:stream';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { type Line, readLines } from '../../../../sidecar/json-rpc/lines.ts';
import { checkAsyncProperty } from '../../../support/property.ts';

async function linesOf(chunks: (string | Buffer)[], maxBytes = 100): Promise<string[]> {
  const found: Line[] = [];
  for await (const lines of readLines(Readable.from(chunks.map((chunk) => Buffer.from(chunk))), maxBytes)) {
    found.push(...lines);
  }
  for (const line of found) {
    expect(line.loss ?? line.framed.toString()).toBe(line.loss ?? `${line.bytes.toString()}\n`);
  }
  return found.map((line) => (line.loss !== null ? '(too large)' : line.bytes.toString()));
}

/** The sizes of what is joined while `work` runs. */
async function joinedBytes(work: () => Promise<unknown>): Promise<number[]> {
  const sizes: number[] = [];
  const { concat } = Buffer;
  Buffer.concat = (list) => {
    const joined = concat(list);
    sizes.push(joined.length);
    return joined;
  };
  await work().finally(() => {
    Buffer.concat = concat;
  });
  return sizes;
}

describe('reading lines', () => {
  it('yields the same lines however the bytes are split', async () => {
    await checkAsyncProperty(
      fc.asyncProperty(
        fc.array(fc.string({ minLength: 1, maxLength: 30 })),
        fc.infiniteStream(fc.integer({ min: 1, max: 7 })),
        async (texts, sizes) => {
          const lines = texts.map((text) => text.replace(/[\n\r]/g, '.'));
          let rest = Buffer.from(lines.map((line) => `${line}\n`).join(''));
          const chunks: Buffer[] = [];
          while (rest.length > 0) {
            const size = sizes.next().value ?? 1;
            chunks.push(rest.subarray(0, size));
            rest = rest.subarray(size);
          }
          expect(await linesOf(chunks, 200)).toEqual(lines);
        },
      ),
    );
  });

  it('reports a line over the limit once and continues after it', async () => {
    expect(await linesOf(['a\n', 'x'.repeat(150), 'x'.repeat(150), '\nb\n'])).toEqual([
      'a',
      '(too large)',
      'b',
    ]);
    expect(await linesOf([`${'y'.repeat(101)}\n${'z'.repeat(100)}\n`])).toEqual([
      '(too large)',
      'z'.repeat(100),
    ]);
  });

  it('skips blank lines and an end without a line feed', async () => {
    expect(await linesOf(['\n\r\na\r\n\nunfinished'])).toEqual(['a\r']);
  });

  it('accepts a line that arrives byte by byte, and joins its pieces now and then', async () => {
    const line = 'd'.repeat(5000);
    const joined = await joinedBytes(async () =>
      expect(await linesOf([...`${line}\n`], 5000)).toEqual([line]),
    );
    expect(joined.length).toBeGreaterThan(5000 / 100);
    expect(joined.length).toBeLessThan(5000 / 50);
  });

  it('holds nothing of a line that is too large, and joins nothing of one that arrives whole', async () => {
    const pieces = Array.from({ length: 1000 }, () => 'x'.repeat(10));
    expect(await joinedBytes(() => linesOf([...pieces, '\nb\n']))).toEqual([]);
    expect(await joinedBytes(() => linesOf(['a\n', 'b\nc\n', 'd\n']))).toEqual([]);
  });

  it('yields what ends in one chunk together, and nothing for a chunk without an end', async () => {
    const groups: number[] = [];
    for await (const lines of readLines(
      Readable.from(['a\nb\n', 'c', 'd\n'].map((each) => Buffer.from(each))),
      100,
    )) {
      groups.push(lines.length);
    }
    expect(groups).toEqual([2, 1]);
  });
});
