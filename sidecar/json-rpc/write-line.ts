import type { Writable } from 'node:stream';

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

/** As `writeLine`, but with a system call of its own: afterwards `isFlushed` tells whether the other side has room for more. */
export function writeLineNow(stream: Writable, line: Uint8Array, stallMs: number): Promise<boolean> {
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

/** Whether nothing that was written waits for the other side. */
export const isFlushed = (stream: Writable): boolean => stream.writableLength === 0;

/** Waits until everything that was written was taken. Returns false as `writeLine` does. */
export function untilFlushed(stream: Writable, stallMs: number): Promise<boolean> {
  if (!stream.writable || isFlushed(stream)) {
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
