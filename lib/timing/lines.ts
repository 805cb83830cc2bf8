/** The framing of JSON-RPC over a stream: one line for each message. */
import type { Readable, Writable } from 'node:stream';

const lineFeed = 0x0a;

/**
 * The lines of a stream without their line feeds; null for one that is longer than `maxBytes`. Blank lines,
 * and bytes after the last line feed, are none. Ends when the stream does; throws its errors.
 */
export async function* readLines(stream: Readable, maxBytes: number): AsyncGenerator<Buffer | null> {
  let pieces: Buffer[] = [];
  let size = 0;
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    let from = 0;
    for (let end = chunk.indexOf(lineFeed); end !== -1; end = chunk.indexOf(lineFeed, from)) {
      const isTooLong = size + end - from > maxBytes;
      const line = isTooLong ? null : Buffer.concat([...pieces, chunk.subarray(from, end)]);
      pieces = [];
      size = 0;
      from = end + 1;
      if (line === null || line.some((byte) => byte > 0x20)) {
        yield line;
      }
    }
    size += chunk.length - from;
    if (size > maxBytes) {
      pieces = [];
    } else if (from < chunk.length) {
      pieces.push(chunk.subarray(from));
    }
  }
}

/** Writes lines; tells when the reader on the other side is behind. */
export class LineOutput {
  readonly #stream: Writable;
  /** Of all that wait: a listener for each would be too many. */
  #room: Promise<void> | null = null;
  #endWait = () => {};
  #mayWait = true;

  constructor(stream: Writable) {
    this.#stream = stream;
  }

  write(text: string): void {
    if (this.#stream.writable) {
      this.#stream.write(`${text}\n`);
    }
  }

  /**
   * Waits while more was written than the other side took. Returns at once when the stream is closed,
   * and after `stopWaiting`.
   */
  async hasRoom(): Promise<void> {
    while (this.#mayWait && this.#stream.writable && this.#stream.writableNeedDrain) {
      this.#room ??= this.#nextRoom();
      await this.#room;
    }
  }

  stopWaiting(): void {
    this.#mayWait = false;
    this.#endWait();
  }

  #nextRoom(): Promise<void> {
    return new Promise((resolve) => {
      const settle = () => {
        this.#stream.off('drain', settle);
        this.#stream.off('close', settle);
        this.#room = null;
        resolve();
      };
      this.#endWait = settle;
      this.#stream.on('drain', settle);
      this.#stream.on('close', settle);
    });
  }

  /** Resolves when the other side took everything, or is closed. */
  flushed(): Promise<void> {
    return new Promise((resolve) => {
      if (!this.#stream.writable || this.#stream.writableLength === 0) {
        resolve();
      } else {
        this.#stream.write('', () => resolve());
      }
    });
  }
}
