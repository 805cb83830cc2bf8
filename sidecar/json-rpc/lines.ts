/** The framing of JSON-RPC over a stream: one line for each message. */
import type { Readable, Writable } from 'node:stream';
import type { ByteBudget } from '../../lib/limits/byte-budget.ts';
import { CollectedBytes } from '../../lib/timing/collected-bytes.ts';
import { AnswerScan, scanInTurns } from './answer-scan.ts';

/**
 * Why a line was not kept: it is larger than a line may be, or large and without memory for it in time, or
 * large and not at its end in time.
 */
export type LineLoss = 'too_large' | 'no_memory' | 'too_slow';

/**
 * `bytes` are its own; `framed` is the same memory with the line feed, as the line is forwarded. Of one that
 * was not kept there is what a scan found in it. `release`: call when a large one was handled.
 */
export type Line = { release?: () => void } & (
  | { loss: null; bytes: Buffer; framed: Buffer }
  | { loss: LineLoss; scan: AnswerScan }
);

const lineFeed = 0x0a;
const carriageReturn = 0x0d;
/**
 * Pieces are joined when there are this many, so that a line that arrives byte by byte costs little memory.
 */
const maxPieces = 64;
/**
 * A larger line takes from the budget, and is collected in memory that grows by doubling: to join it again
 * and again would take a minute.
 */
export const largeLineBytes = 1024 * 1024;
/**
 * For every session: two of the largest answers by default. What they take while they grow is twice as much.
 */
export const largeAnswerBytes = 24 * 1024 * 1024;
/** Longer than a side that stalls keeps its connection, and with it what it holds. */
const budgetWaitMs = 60_000;
/** A large line that has not ended by then is read past: its sender would keep memory from others. */
const largeLineMs = 60_000;

/** The lines of a stream, which is left open when the reader stops early. Otherwise as `splitLines`. */
export function readLines(stream: Readable, maxBytes: number, budget?: ByteBudget): AsyncGenerator<Line[]> {
  return splitLines(stream.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>, maxBytes, budget);
}

/**
 * Splits chunks at line feeds, holding at most `maxBytes` of a line; yields the lines that end in one chunk
 * together. A longer line is scanned for what it is, and reported at its end; so is one of more than a
 * mebibyte for which `budget` has no room in time. Blank lines, and bytes after the last line feed, are not
 * lines. Ends with the chunks; throws their errors.
 */
export async function* splitLines(
  chunks: AsyncIterable<Buffer>,
  maxBytes: number,
  budget: ByteBudget | null = null,
): AsyncGenerator<Line[]> {
  const begun = new BegunLine(maxBytes, budget);
  try {
    for await (const chunk of chunks) {
      const lines: Line[] = [];
      let from = 0;
      for (let end = chunk.indexOf(lineFeed); end !== -1; end = chunk.indexOf(lineFeed, from)) {
        const last = chunk.subarray(from, end + 1);
        const line = begun.takes(last) ? begun.endNow(last) : await begun.end(last);
        if (line !== null) {
          lines.push(line);
        }
        from = end + 1;
      }
      if (lines.length > 0) {
        yield lines;
      }
      const rest = chunk.subarray(from);
      if (begun.takes(rest)) {
        begun.addNow(rest);
      } else {
        await begun.add(rest);
      }
    }
  } finally {
    begun.drop();
  }
}

/** Null for a blank one. */
function wholeLine(framed: Buffer): Line | null {
  const bytes = framed.subarray(0, -1);
  return bytes.length > 1 || (bytes.length === 1 && bytes[0] !== carriageReturn)
    ? { loss: null, bytes, framed }
    : null;
}

/** A line whose end has not come. */
class BegunLine {
  readonly #maxBytes: number;
  readonly #budget: ByteBudget | null;
  #sizeBytes = 0;
  #pieces: Buffer[] = [];
  /** Of a large one, in place of pieces. */
  #collected: CollectedBytes | null = null;
  /** Of one that is not kept. `caughtUp`: it has seen all that came. */
  #lost: { loss: LineLoss; scan: AnswerScan; caughtUp: Promise<void> } | null = null;
  #release: (() => void) | null = null;
  #timer: NodeJS.Timeout | undefined;

  constructor(maxBytes: number, budget: ByteBudget | null) {
    this.#maxBytes = maxBytes;
    this.#budget = budget;
  }

  /** Whether it stays a small one with this piece, as nearly all are: those wait for nothing. */
  takes(piece: Buffer): boolean {
    const sizeBytes = this.#sizeBytes + piece.length;
    return sizeBytes <= largeLineBytes && sizeBytes <= this.#maxBytes;
  }

  /** A piece of a small line. */
  addNow(piece: Buffer): void {
    this.#sizeBytes += piece.length;
    if (piece.length > 0 && this.#pieces.push(piece) > maxPieces) {
      this.#pieces = [Buffer.concat(this.#pieces)];
    }
  }

  /** The last piece of a small line. */
  endNow(last: Buffer): Line | null {
    if (this.#sizeBytes === 0) {
      return wholeLine(last);
    }
    this.addNow(last);
    const line = this.#line();
    this.drop();
    return line;
  }

  async add(piece: Buffer): Promise<void> {
    if (this.takes(piece)) {
      this.addNow(piece);
      return;
    }
    this.#sizeBytes += piece.length;
    if (this.#lost !== null) {
      await this.#scan(piece);
    } else if (this.#sizeBytes > this.#maxBytes) {
      this.#stopKeeping('too_large');
      await this.#scan(piece);
    } else {
      await this.#collect(piece);
    }
  }

  /** `last` ends with the line feed, which does not count. */
  async end(last: Buffer): Promise<Line | null> {
    this.#sizeBytes -= 1;
    await this.add(last);
    const release = this.#release;
    const line = this.#line();
    this.#release = null;
    this.drop();
    if (release === null) {
      return line;
    }
    if (line === null || line.loss !== null) {
      release();
      return line;
    }
    return { ...line, release };
  }

  drop(): void {
    clearTimeout(this.#timer);
    this.#release?.();
    this.#release = null;
    this.#pieces = [];
    this.#collected = null;
    this.#lost = null;
    this.#sizeBytes = 0;
  }

  #line(): Line | null {
    if (this.#lost !== null) {
      const { loss, scan } = this.#lost;
      return { loss, scan };
    }
    const [only, ...others] = this.#pieces;
    const framed =
      this.#collected?.bytes ??
      (only !== undefined && others.length === 0 ? only : Buffer.concat(this.#pieces));
    return wholeLine(framed);
  }

  async #collect(piece: Buffer): Promise<void> {
    if (this.#collected === null && !(await this.#hasRoom())) {
      this.#stopKeeping('no_memory');
    }
    if (this.#lost !== null) {
      await this.#scan(piece);
      return;
    }
    this.#collected ??= this.#joined();
    this.#collected.push(piece);
  }

  async #hasRoom(): Promise<boolean> {
    const budget = this.#budget;
    if (budget === null) {
      return true;
    }
    const bytes = this.#maxBytes;
    if (!(await budget.take(bytes, budgetWaitMs))) {
      return false;
    }
    this.#release = () => budget.give(bytes);
    this.#timer = setTimeout(() => this.#stopKeeping('too_slow'), largeLineMs).unref();
    return true;
  }

  #joined(): CollectedBytes {
    const collected = new CollectedBytes();
    for (const piece of this.#pieces.splice(0)) {
      collected.push(piece);
    }
    return collected;
  }

  /** From here on it is only scanned. */
  #stopKeeping(loss: LineLoss): void {
    const kept = this.#collected === null ? this.#pieces : [this.#collected.bytes];
    this.#lost = { loss, scan: new AnswerScan(), caughtUp: Promise.resolve() };
    for (const piece of kept) {
      void this.#scan(piece);
    }
    this.#pieces = [];
    this.#collected = null;
    this.#release?.();
    this.#release = null;
    clearTimeout(this.#timer);
  }

  /** Resolves when the scan has seen this piece: megabytes are scanned in turns, after those before them. */
  #scan(piece: Buffer): Promise<void> {
    const lost = this.#lost;
    if (lost === null) {
      return Promise.resolve();
    }
    lost.caughtUp = lost.caughtUp.then(() => scanInTurns(lost.scan, piece));
    return lost.caughtUp;
  }
}

/**
 * Writes a line, which ends with its line feed, and waits until the other side takes more. Lines that are
 * written in the same event loop turn are sent together. Returns false when the stream is closed, or took
 * nothing for `stallMs`: then the line may not have arrived.
 */
export function writeLine(stream: Writable, line: Uint8Array, stallMs: number): Promise<boolean> {
  if (stream.writable && stream.writableCorked === 0) {
    // Node calls this when no promise has anything left to do, so each line of a burst costs
    // no system call of its own.
    stream.cork();
    process.nextTick(() => stream.uncork());
  }
  return writeLineNow(stream, line, stallMs);
}

/**
 * As `writeLine`, but with a system call of its own: afterwards the stream tells whether the
 * other side has room for more.
 */
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
