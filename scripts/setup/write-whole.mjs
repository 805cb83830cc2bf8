import { renameSync, writeFileSync } from 'node:fs';

/** Writes a file that others may read at any moment: they find it as it was before or whole. */
export function writeWhole(file, text) {
  const unfinished = `${file}.${process.pid}`;
  writeFileSync(unfinished, text);
  renameSync(unfinished, file);
}
