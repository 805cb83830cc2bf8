/** Content must match its sha256 digest, or it is refused. */
import { createHash } from 'node:crypto';
import { ImageError } from './errors.ts';

export function sha256Digest(bytes: Buffer): string {
  return `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
}

/** Throws ImageError `digest_mismatch`. */
export function requireDigest(bytes: Buffer, digest: string, what: string): void {
  if (sha256Digest(bytes) !== digest) {
    throw mismatch(what, digest);
  }
}

/**
 * Passes a stream through and fails at its end when it does not match the digest. `onBytes` counts, and
 * throws at a bound. Nothing read is trustworthy before the end.
 */
export async function* verified(
  source: AsyncIterable<Buffer>,
  digest: string,
  what: string,
  onBytes: (count: number) => void,
): AsyncGenerator<Buffer> {
  const hash = createHash('sha256');
  for await (const chunk of source) {
    onBytes(chunk.length);
    hash.update(chunk);
    yield chunk;
  }
  if (`sha256:${hash.digest('hex')}` !== digest) {
    throw mismatch(what, digest);
  }
}

function mismatch(what: string, digest: string): ImageError {
  return new ImageError('digest_mismatch', `${what} is not what its digest ${digest} says`);
}
