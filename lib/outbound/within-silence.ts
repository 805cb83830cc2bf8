/** A limit on silence, for bodies that may go on for hours. */
import type { Readable } from 'node:stream';
import { abandonAfter } from '../timing/time-limit.ts';

/**
 * The chunks of a body, which is destroyed when the reader stops. Throws `late` when none comes for
 * `limitMs` while the reader waits for one: a reader that takes its time is not the sender's fault.
 * Throws the body's own errors.
 */
export async function* withinSilence(body: Readable, limitMs: number, late: Error): AsyncGenerator<Buffer> {
  const chunks: AsyncIterator<Buffer> = body[Symbol.asyncIterator]();
  try {
    for (;;) {
      const next = await abandonAfter(limitMs, chunks.next(), () => {
        throw late;
      });
      if (next.done) {
        return;
      }
      yield next.value;
    }
  } finally {
    body.destroy();
  }
}
