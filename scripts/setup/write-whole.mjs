import { renameSync, writeFileSync } from 'node:fs';

/** Atomically writes a file that others may read at any moment. */
export function writeWhole(file, text) {
  const unfinished = `${file}.${process.pid}`;
  writeFileSync(unfinished, text);
  renameSync(unfinished, file);
}
