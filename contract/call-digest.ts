/**
 * Names exactly one call: server, tool, version of the catalog entry, and arguments. The sidecar hashes the
 * call; the API keys the hash, and only the keyed digest is stored and shown (docs/decisions/0008).
 */
import { createHash, createHmac } from 'node:crypto';
import { derive } from './session-keys.ts';

export interface ExactCall {
  server: string;
  tool: string;
  entryVersion: number;
  /** In canonical form: keys sorted, no spaces, each number as it was written. */
  argumentsText: string;
}

/** The SHA-256 of a call, in hexadecimal digits. JSON separates the parts unambiguously. */
export function sha256OfCall({ server, tool, entryVersion, argumentsText }: ExactCall): string {
  return createHash('sha256')
    .update(JSON.stringify([server, tool, entryVersion, argumentsText]))
    .digest('hex');
}

/** Derived from SESSION_KEY_SEED, since a digest outlives no session; once, not for each check. */
export const callDigestKey = (seed: Buffer): Buffer => derive(seed, 'call-digest');

/** The digest of a call from its SHA-256. */
export const digestOfCall = (key: Buffer, sha256: string): string =>
  createHmac('sha256', key).update(sha256).digest('hex');
