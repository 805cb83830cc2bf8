/** What runs of the tests leave for those after them, in whichever clone of this machine: JSON by name. */
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { machineCache } from '../setup/machine-cache.mjs';
import { writeWhole } from '../setup/write-whole.mjs';

const fileOf = (environment, name) => machineCache(environment, `${name}.json`);

/** Null where there is none. */
export function readNote(environment, name) {
  const file = fileOf(environment, name);
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : null;
}

export function writeNote(environment, name, value) {
  const file = fileOf(environment, name);
  mkdirSync(dirname(file), { recursive: true });
  writeWhole(file, JSON.stringify(value));
}
