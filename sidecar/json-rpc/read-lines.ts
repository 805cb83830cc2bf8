import type { Readable } from 'node:stream';

export type Line = { tooLarge: false; bytes: Buffer } | { tooLarge: true };

const lineFeed = 0x0a;
/** Pieces are joined when there are this many, so that a line that arrives byte by byte costs little memory. */
const maxPieces = 64;

/** The lines of a stream, which is left open when the reader stops early. Otherwise as `splitLines`. */
export function readLines(stream: Readable, maxBytes: number): AsyncGenerator<Line[]> {
  return splitLines(stream.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>, maxBytes);
}

/**
 * Splits chunks at line feeds, holding at most `maxBytes` of a line; yields the lines that end in one chunk
 * together. A longer line is reported once and skipped to its end. Blank lines, and bytes after the last line feed, are not
 * lines. Ends with the chunks; throws their errors.
 */
export async function* splitLines(chunks: AsyncIterable<Buffer>, maxBytes: number): AsyncGenerator<Line[]> {
  let pieces: Buffer[] = [];
  let size = 0;
  for await (const chunk of chunks) {
    const lines: Line[] = [];
    let from = 0;
    for (let end = chunk.indexOf(lineFeed); end !== -1; end = chunk.indexOf(lineFeed, from)) {
      size += end - from;
      const tooLarge = size > maxBytes;
      const bytes = tooLarge ? Buffer.alloc(0) : Buffer.concat([...pieces, chunk.subarray(from, end)]);
      pieces = [];
      size = 0;
      from = end + 1;
      if (tooLarge) {
        lines.push({ tooLarge });
      } else if (bytes.length > 0 && !(bytes.length === 1 && bytes[0] === 0x0d)) {
        lines.push({ tooLarge, bytes });
      }
    }
    if (lines.length > 0) {
      yield lines;
    }
    size += chunk.length - from;
    if (size > maxBytes) {
      pieces = [];
    } else if (pieces.push(chunk.subarray(from)) > maxPieces) {
      pieces = [Buffer.concat(pieces)];
    }
  }
}
