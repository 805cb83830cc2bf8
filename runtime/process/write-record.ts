/** Replaces a record atomically, so that it is never read half-written. */
import { renameSync, writeFileSync } from 'node:fs';

export function writeRecord(file: string, record: unknown): void {
  writeFileSync(`${file}.new`, JSON.stringify(record), { mode: 0o600 });
  renameSync(`${file}.new`, file);
}
