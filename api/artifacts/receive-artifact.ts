/** Receives the bytes of an artifact as they arrive: in chunks, each stored at once by a short statement. */
import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { ByteBudget } from '../../lib/limits/byte-budget.ts';
import { appendChunk, beginContent } from '../../store/artifacts/contents.ts';
import type { Db } from '../../store/database.ts';
import { ApiError } from '../errors.ts';
import { readChunks, UploadTooSlowError } from './read-chunks.ts';

export interface ReceivedContent {
  contentId: string;
  sizeBytes: number;
  sha256: string;
}

const chunkBytes = 256 * 1024;
const maxAgeMs = 1000;
const uploadLimitMs = 120_000;

/**
 * Stores the body as a content that is not yet an artifact. `begun` receives its id, so that the caller can
 * remove an incomplete one; `countBody` is called with the number of bytes as they arrive, and may throw.
 * Throws 413 beyond `limitBytes`, 400 when the connection ends early, 503 when the
 * bytes do not arrive in time.
 */
export async function receiveContent(
  db: Db,
  request: IncomingMessage,
  options: {
    sessionId: string;
    limitBytes: number;
    budget: ByteBudget;
    begun: (contentId: string) => void;
    countBody: (bytes: number) => void;
  },
): Promise<ReceivedContent> {
  const contentId = await beginContent(db, options.sessionId);
  options.begun(contentId);
  const hash = createHash('sha256');
  let sizeBytes = 0;
  let position = 0;
  const deadlineMs = performance.now() + uploadLimitMs;
  const chunks = readChunks(request, { chunkBytes, maxAgeMs, deadlineMs, budget: options.budget });
  try {
    for (;;) {
      const next = await chunks.next().catch((error: unknown) => {
        throw asApiError(error);
      });
      if (next.done) {
        return { contentId, sizeBytes, sha256: hash.digest('hex') };
      }
      options.countBody(next.value.length);
      sizeBytes += next.value.length;
      if (sizeBytes > options.limitBytes) {
        throw tooLarge(options.limitBytes, 'an artifact');
      }
      hash.update(next.value);
      await appendChunk(db, { contentId, position, bytes: next.value });
      position += 1;
    }
  } finally {
    // Returns the bytes to the budget, also when a chunk could not be stored.
    await chunks.return(undefined);
  }
}

export const tooLarge = (limitBytes: number, what: string) =>
  new ApiError('too_large', `The limit is ${limitBytes} bytes for ${what}`);

function asApiError(error: unknown): ApiError {
  return error instanceof UploadTooSlowError
    ? new ApiError('unavailable', `An artifact arrives within ${uploadLimitMs / 1000} s: ${error.message}`)
    : new ApiError('malformed_request', 'The connection ended before the body did');
}
