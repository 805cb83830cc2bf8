import type { IncomingMessage } from 'node:http';
import { HttpRefusal } from '../http/answer.ts';
import { readRequestBody } from '../http/read-body.ts';

/** Reads a body whose size was signed. Throws HttpRefusal; a longer body is not read to its end. */
export type ReadSignedBody = (request: IncomingMessage, sizeBytes: number) => Promise<Buffer>;

/** All bodies being read at a time hold max `maxBytes` together; a sender without room has to resend. */
export function createBodyReader(maxBytes: number): ReadSignedBody {
  let heldBytes = 0;
  return async (request, sizeBytes) => {
    if (sizeBytes > maxBytes) {
      throw new HttpRefusal('too_large', `the body may have ${maxBytes} bytes at most`);
    }
    if (heldBytes + sizeBytes > maxBytes) {
      throw new HttpRefusal('unavailable', 'other requests are being read; send it again');
    }
    heldBytes += sizeBytes;
    try {
      return await readRequestBody(request, sizeBytes);
    } catch (error) {
      throw error instanceof HttpRefusal
        ? new HttpRefusal('unauthenticated', 'the body is longer than the one that was signed')
        : error;
    } finally {
      heldBytes -= sizeBytes;
    }
  };
}
