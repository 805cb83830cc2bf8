import type { Writable } from 'node:stream';

const lineFeed = Buffer.from('\n');

/**
 * Writes the line's own bytes and a line feed, and waits until the other side takes more. Lines that are written in the same
 * event loop turn are sent together. Returns false when the stream is closed, or took nothing for `stallMs`: then the line may
 * not have arrived.
 */
export function writeLine(stream: Writable, line: Uint8Array, stallMs: number): Promise<boolean> {
  if (!stream.writable) {
    return Promise.resolve(false);
  }
  if (stream.writableCorked === 0) {
    // Node calls this when no promise has anything left to do, so each line of a burst costs no system call of its own.
    stream.cork();
    process.nextTick(() => stream.uncork());
  }
  if (stream.write(Buffer.concat([line, lineFeed]))) {
    return Promise.resolve(true);
  }
  return new Promise((resolve) => {
    const settle = (written: boolean) => {
      clearTimeout(timer);
      stream.off('drain', onDrain);
      stream.off('close', onClose);
      resolve(written);
    };
    const onDrain = () => settle(true);
    const onClose = () => settle(false);
    const timer = setTimeout(onClose, stallMs);
    stream.once('drain', onDrain);
    stream.once('close', onClose);
  });
}
