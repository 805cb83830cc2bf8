import type { Readable } from 'node:stream';

/** `bytes` are its own; `framed` is the same memory with the line feed, as the line is forwarded. */
export type Line = { tooLarge: false; bytes: Buffer; framed: Buffer } | { tooLarge: true };

const lineFeed = 0x0a;
const carriageReturn = 0x0d;
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
      const last = chunk.subarray(from, end + 1);
      if (size > maxBytes) {
        lines.push({ tooLarge: true });
      } else {
        const framed = pieces.length === 0 ? last : Buffer.concat([...pieces, last]);
        const bytes = framed.subarray(0, -1);
        if (bytes.length > 1 || (bytes.length === 1 && bytes[0] !== carriageReturn)) {
          lines.push({ tooLarge: false, bytes, framed });
        }
      }
      pieces = [];
      size = 0;
      from = end + 1;
    }
    if (lines.length > 0) {
      yield lines;
    }
    size += chunk.length - from;
    if (size > maxBytes) {
      pieces = [];
    } else if (from < chunk.length && pieces.push(chunk.subarray(from)) > maxPieces) {
      pieces = [Buffer.concat(pieces)];
    }
  }
}
