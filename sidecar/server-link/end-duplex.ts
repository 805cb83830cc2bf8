import type { Duplex } from 'node:stream';

const closeMs = 1000;

/** Flushes what was written, then destroys the stream. */
export function endDuplex(stream: Duplex): void {
  stream.end();
  const timer = setTimeout(() => stream.destroy(), closeMs);
  stream.once('close', () => clearTimeout(timer));
  stream.resume();
}
