import { Readable } from 'node:stream';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { readTail, readTextLines } from '../../../runtime/read-stream.ts';
import { checkAsyncProperty } from '../../support/property.ts';

/** The bytes of a text in pieces of one size, which may cut characters. */
const inPieces = (text: string, size: number): Readable => {
  const bytes = Buffer.from(text);
  const pieces = Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) =>
    bytes.subarray(index * size, (index + 1) * size),
  );
  return Readable.from(pieces);
};
const text = fc.string({ unit: 'binary', maxLength: 60 }).filter((chosen) => chosen.isWellFormed());
const size = fc.integer({ min: 1, max: 20 });

describe('the end of a stream', () => {
  it('is at most as long as requested, without partial characters', async () => {
    await checkAsyncProperty(
      fc.asyncProperty(text, size, size, async (all, pieceBytes, tailBytes) => {
        const tail = await readTail(inPieces(all, pieceBytes), tailBytes);
        expect(all.endsWith(tail)).toBe(true);
        expect(Buffer.byteLength(tail)).toBeLessThanOrEqual(tailBytes);
        expect(Buffer.byteLength(tail)).toBeGreaterThan(Math.min(tailBytes, Buffer.byteLength(all)) - 4);
      }),
    );
  });
});

describe('the lines of a stream', () => {
  it('are complete, however they arrive', async () => {
    await checkAsyncProperty(
      fc.asyncProperty(
        fc.array(text.map((line) => line.replaceAll('\n', ' '))),
        size,
        async (lines, pieceBytes) => {
          const all = `${lines.map((line) => `${line}\n`).join('')}cut off`;
          const read: string[] = [];
          for await (const line of readTextLines(inPieces(all, pieceBytes))) {
            read.push(line);
          }
          expect(read).toEqual(lines);
        },
      ),
    );
  });

  it('throw the stream’s error', async () => {
    const broken = new Readable({ read() {} });
    broken.push('a\n');
    const read = (async () => {
      for await (const line of readTextLines(broken)) {
        expect(line).toBe('a');
        broken.destroy(new Error('cut'));
      }
    })();
    await expect(read).rejects.toThrow('cut');
  });
});
