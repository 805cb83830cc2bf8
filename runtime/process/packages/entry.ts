/** The record about the packages of one request: which tree is current, and since when. */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import type { PackageRequest } from '../../../contract/package-request.ts';
import { writeRecord } from '../write-record.ts';

const cacheEntry = z.strictObject({
  /** SHA-256 of its manifest, and the name of its directory. */
  digest: z.string().regex(/^[0-9a-f]{64}$/),
  /** When the registry was last queried, in milliseconds since 1970. */
  askedAtMs: z.number(),
});
export type CacheEntry = z.infer<typeof cacheEntry>;

/** Null when there is none, or it cannot be read: then the packages are loaded again. */
export function readEntry(directory: string): CacheEntry | null {
  try {
    return cacheEntry.parse(JSON.parse(readFileSync(join(directory, 'entry.json'), 'utf8')));
  } catch {
    return null;
  }
}

export function writeEntry(directory: string, entry: CacheEntry): void {
  writeRecord(join(directory, 'entry.json'), entry);
}

/** What the packages depend on besides the request: registries and platform. */
export interface KeyFacts {
  registry: string;
  /** Such as `linux-x64-v20`. */
  platform: string;
}

/** A name for the request's directory. The program's own arguments make no difference. */
export function keyOf({ manager, packages, program, python }: PackageRequest, facts: KeyFacts): string {
  const text = JSON.stringify([manager, packages, program, python, facts.registry, facts.platform]);
  return createHash('sha256').update(text).digest('hex');
}
