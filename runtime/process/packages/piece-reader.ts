/** Reads a stream in pieces of a requested length. */
import type { Readable } from 'node:stream';

export class StreamEndedError extends Error {
  override name = 'StreamEndedError';
}

export interface PieceReader {
  /** Null at the end of the stream. Throws when it ends within the piece. */
  exactly(length: number): Promise<Buffer | null>;
  /** In chunks as they arrive. Throws when the stream ends early. */
  pieces(length: number): AsyncGenerator<Buffer>;
}

export function readPieces(stream: Readable): PieceReader {
  const source: AsyncIterator<Buffer> = stream[Symbol.asyncIterator]();
  let rest: Buffer = Buffer.alloc(0);
  const more = async (): Promise<boolean> => {
    const { value, done } = await source.next();
    rest = done === true ? Buffer.alloc(0) : value;
    return done !== true;
  };
  async function* pieces(length: number): AsyncGenerator<Buffer> {
    let left = length;
    while (left > 0) {
      if (rest.length === 0 && !(await more())) {
        throw new StreamEndedError('the stream ended too early');
      }
      const piece = rest.subarray(0, left);
      rest = rest.subarray(piece.length);
      left -= piece.length;
      if (piece.length > 0) {
        yield piece;
      }
    }
  }
  return {
    pieces,
    async exactly(length) {
      if (rest.length === 0 && !(await more())) {
        return null;
      }
      const all: Buffer[] = [];
      for await (const piece of pieces(length)) {
        all.push(piece);
      }
      return Buffer.concat(all);
    },
  };
}
