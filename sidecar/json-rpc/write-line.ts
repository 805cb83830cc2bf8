import type { Writable } from 'node:stream';

const lineFeed = Buffer.from('\n');

/**
 * Writes the line's own bytes and a line feed, and waits until the other side takes more. Returns false when the stream is
 * closed, or took nothing for `stallMs`: then the line may not have arrived.
 */
export function writeLine(stream: Writable, line: Uint8Array, stallMs: number): Promise<boolean> {
  if (!stream.writable) {
    return Promise.resolve(false);
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
