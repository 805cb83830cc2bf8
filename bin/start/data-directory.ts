/** DATA_DIR: everything the embedded default keeps. One start-up at a time owns it. */
import { linkSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { identify, isRunning, type ProcessIdentity } from '../../runtime/process/process-identity.ts';
import { messageOf, StartError } from './start-error.ts';

/**
 * Creates the directory and takes its lock; returns the function that releases it. Throws StartError when
 * another start-up holds it.
 */
export function claimDataDirectory(directory: string): () => void {
  const lock = join(directory, 'start.lock');
  const own = `${lock}.${process.pid}`;
  try {
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    writeFileSync(own, JSON.stringify(identify(process.pid)), { mode: 0o600 });
  } catch (cause) {
    throw new StartError(`The data directory ${directory} is not usable: ${messageOf(cause)}`, { cause });
  }
  try {
    setAsideIfStale(lock);
    // A link, unlike a rename, fails when another start-up was quicker.
    linkSync(own, lock);
  } catch {
    const holder = readHolder(lock);
    throw new StartError(
      `Another start-up${holder === null ? '' : ` (process ${holder.pid})`} uses ${directory}. ` +
        'Stop it first, or set DATA_DIR, PORT and TEMPORAL_UI_PORT to run a second one beside it.',
    );
  } finally {
    rmSync(own, { force: true });
  }
  return () => rmSync(lock, { force: true });
}

function setAsideIfStale(lock: string): void {
  const holder = readHolder(lock);
  if (holder === null || isRunning(holder)) {
    return;
  }
  const aside = `${lock}.stale.${process.pid}`;
  renameSync(lock, aside);
  const moved = readHolder(aside);
  if (moved !== null && isRunning(moved)) {
    // Another start-up took the lock between the check and the move: it gets it back.
    linkSync(aside, lock);
  }
  rmSync(aside, { force: true });
}

function readHolder(file: string): ProcessIdentity | null {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as ProcessIdentity;
  } catch {
    return null;
  }
}
