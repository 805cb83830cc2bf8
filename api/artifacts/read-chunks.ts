/** Reads the body of an upload in chunks, of which at most one is in memory, and only briefly. */
import type { IncomingMessage } from 'node:http';
import type { ByteBudget } from '../../lib/limits/byte-budget.ts';
import { CollectedBytes } from '../../lib/timing/collected-bytes.ts';
import { abandonAfter } from '../../lib/timing/time-limit.ts';

export interface ReadChunksOptions {
  /** A chunk is yielded once it has this many bytes, or once its first bytes are this old. */
  chunkBytes: number;
  maxAgeMs: number;
  /** Deadline for the whole body (`performance.now()`). */
  deadlineMs: number;
  budget: ByteBudget;
}

/** The body did not arrive in time. */
export class UploadTooSlowError extends Error {
  override name = 'UploadTooSlowError';
}

/**
 * Yields the body's chunks; the bytes of one are released when the next one is requested. Nothing is held
 * while the budget is exhausted. Throws UploadTooSlowError, and what the connection throws.
 */
export async function* readChunks(
  request: IncomingMessage,
  { chunkBytes, maxAgeMs, deadlineMs, budget }: ReadChunksOptions,
): AsyncGenerator<Buffer> {
  const source = request.iterator({ destroyOnReturn: false })[Symbol.asyncIterator]();
  let held = new CollectedBytes();
  let heldSinceMs = 0;
  const left = () => deadlineMs - performance.now();
  const release = () => {
    budget.give(held.sizeBytes);
    held = new CollectedBytes();
  };
  let next = source.next();
  try {
    for (;;) {
      const ageMs =
        held.sizeBytes > 0 ? heldSinceMs + maxAgeMs - performance.now() : Number.POSITIVE_INFINITY;
      const arrived = await abandonAfter(Math.max(0, Math.min(ageMs, left())), next, () => null);
      if (arrived === null || arrived.done) {
        if (held.sizeBytes > 0) {
          yield held.bytes;
          release();
        }
        if (arrived?.done) {
          return;
        }
        if (left() <= 0) {
          throw new UploadTooSlowError('the bytes did not arrive in time');
        }
        continue;
      }
      const bytes: Buffer = arrived.value;
      if (!budget.tryTake(bytes.length)) {
        if (held.sizeBytes > 0) {
          yield held.bytes;
          release();
        }
        if (!(await budget.take(bytes.length, left()))) {
          throw new UploadTooSlowError('there was no room for the bytes in time');
        }
      }
      heldSinceMs = held.sizeBytes === 0 ? performance.now() : heldSinceMs;
      held.push(bytes);
      if (held.sizeBytes >= chunkBytes) {
        yield held.bytes;
        release();
      }
      next = source.next();
    }
  } finally {
    release();
    // The abandoned read may still reject.
    next.catch(() => undefined);
  }
}
