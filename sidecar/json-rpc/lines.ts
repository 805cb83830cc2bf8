/** The framing of JSON-RPC over a stream: one line for each message. */
import type { Readable, Writable } from 'node:stream';

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

/**
 * Writes a line, which ends with its line feed, and waits until the other side takes more. Lines that are written in the same
 * event loop turn are sent together. Returns false when the stream is closed, or took nothing for `stallMs`: then the line may
 * not have arrived.
 */
export function writeLine(stream: Writable, line: Uint8Array, stallMs: number): Promise<boolean> {
  if (stream.writable && stream.writableCorked === 0) {
    // Node calls this when no promise has anything left to do, so each line of a burst costs no system call of its own.
    stream.cork();
    process.nextTick(() => stream.uncork());
  }
  return writeLineNow(stream, line, stallMs);
}

/** As `writeLine`, but with a system call of its own: afterwards the stream tells whether the other side has room for more. */
function writeLineNow(stream: Writable, line: Uint8Array, stallMs: number): Promise<boolean> {
  if (!stream.writable) {
    return Promise.resolve(false);
  }
  if (stream.write(line)) {
    return Promise.resolve(true);
  }
  return untilTaken(stream, stallMs, (settle) => {
    const onDrain = () => settle(true);
    stream.once('drain', onDrain);
    return () => stream.off('drain', onDrain);
  });
}

/** Waits until everything that was written was taken. Returns false as `writeLine` does. */
function untilFlushed(stream: Writable, stallMs: number): Promise<boolean> {
  if (!stream.writable || stream.writableLength === 0) {
    return Promise.resolve(stream.writable);
  }
  return untilTaken(stream, stallMs, (settle) => {
    stream.write('', (error) => settle(!error));
    return () => undefined;
  });
}

/** Resolves as `listen` settles it, and to false when the stream closes before, or after `stallMs`. */
function untilTaken(
  stream: Writable,
  stallMs: number,
  listen: (settle: (taken: boolean) => void) => () => void,
): Promise<boolean> {
  return new Promise((resolve) => {
    const settle = (taken: boolean) => {
      clearTimeout(timer);
      stop();
      stream.off('close', onClose);
      resolve(taken);
    };
    const onClose = () => settle(false);
    const timer = setTimeout(onClose, stallMs);
    const stop = listen(settle);
    stream.once('close', onClose);
  });
}

/** A side that accepts no bytes for this long is given up. */
const stallMs = 30_000;

/** Writes lines to one side. Calls `onLost`, and waits for it, when the side is closed or stalls. */
export class LineWriter {
  readonly #stream: Writable;
  readonly #onLost: () => void | Promise<void>;

  constructor(stream: Writable, onLost: () => void | Promise<void>) {
    this.#stream = stream;
    this.#onLost = onLost;
  }

  /** Whether the side has taken everything that was written. */
  get isFlushed(): boolean {
    return this.#stream.writableLength === 0;
  }

  write(line: Uint8Array): Promise<void> {
    return this.#unlessLost(writeLine(this.#stream, line, stallMs));
  }

  /** In this turn of the event loop, where `write` collects lines. */
  writeNow(line: Uint8Array): Promise<void> {
    return this.#unlessLost(writeLineNow(this.#stream, line, stallMs));
  }

  whenFlushed(): Promise<void> {
    return this.#unlessLost(untilFlushed(this.#stream, stallMs));
  }

  async #unlessLost(written: Promise<boolean>): Promise<void> {
    if (!(await written)) {
      await this.#onLost();
    }
  }
}
