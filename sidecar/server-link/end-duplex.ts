import type { Duplex } from 'node:stream';

const closeMs = 1000;

/** Lets what was written arrive, then closes for good. */
export function endDuplex(stream: Duplex): void {
  stream.end();
  const timer = setTimeout(() => stream.destroy(), closeMs);
  stream.once('close', () => clearTimeout(timer));
  stream.resume();
}
