/**
 * Where tests keep databases: in memory, since a file system on a disk takes longer to make and remove their
 * thousands of files than the tests to use them.
 */
import { spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const inMemory = '/dev/shm';
/** What the platforms and the services of a whole run have at a time, several times over. */
const neededBytes = 6 * 1024 ** 3;

let found: string | null = null;

/** A directory in memory, where this machine has one with enough room; else that for temporary files. */
export function memoryDirectory(): string {
  found ??= isUsable(inMemory) ? inMemory : tmpdir();
  return found;
}

/** Programs that are kept beside a database have to run from there, which containers often forbid. */
function isUsable(directory: string): boolean {
  let trial: string | null = null;
  try {
    const { bavail, bsize } = statfsSync(directory);
    trial = mkdtempSync(join(directory, 'trial-'));
    const program = join(trial, 'program');
    writeFileSync(program, '#!/bin/sh\n');
    chmodSync(program, 0o700);
    return bavail * bsize >= neededBytes && spawnSync(program).status === 0;
  } catch {
    return false;
  } finally {
    if (trial !== null) {
      rmSync(trial, { recursive: true, force: true });
    }
  }
}
