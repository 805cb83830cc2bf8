/** Copying from one connection to another, with backpressure and a limit on it. */
import type { Readable, Writable } from 'node:stream';

export interface CopyOptions {
  /** How long bytes may wait for the one who takes them; null: for ever. */
  stalledMs: number | null;
  giveUp(): void;
}

/**
 * Copies until `from` ends, and passes its end on. Calls `giveUp` when bytes have waited too long: while they
 * wait nothing is read, and so it is not noticed that the other side of `from` has left.
 */
export function copyStream(from: Readable, to: Writable, { stalledMs, giveUp }: CopyOptions): void {
  from.on('data', (chunk: Buffer) => {
    if (to.destroyed || to.write(chunk)) {
      return;
    }
    from.pause();
    const timer = stalledMs === null ? undefined : setTimeout(giveUp, stalledMs);
    const go = () => {
      clearTimeout(timer);
      to.off('drain', go).off('close', go);
      from.resume();
    };
    to.on('drain', go).on('close', go);
  });
  from.once('end', () => to.end());
}
