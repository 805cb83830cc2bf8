/**
 * The directory of a host that no session has yet; it is renamed to the session's, and all that the
 * host has open goes with it.
 */
import { randomUUID } from 'node:crypto';
import { mkdirSync, readdirSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { sessionFiles } from './layout.ts';

const prefix = 'warm-';

/** Beside the sessions' own, so that renaming it is one step; its name is no session's id. */
export const warmDirectoryIn = (sessionsDirectory: string): string =>
  join(sessionsDirectory, `${prefix}${randomUUID()}`);

export function makeWarmDirectory(directory: string): void {
  mkdirSync(sessionFiles(directory).logs, { recursive: true, mode: 0o700 });
}

/**
 * A no-op for any other directory, as a session's is. Throws nothing: what stays is
 * removed by a later worker.
 */
export function removeWarmDirectory(directory: string): void {
  if (basename(directory).startsWith(prefix)) {
    try {
      rmSync(directory, { recursive: true, force: true });
    } catch {
      // Somebody else's, or in use.
    }
  }
}

/** Those of an earlier worker: its hosts ended with it, and a killed one could not remove its own. */
export function removeLeftWarmDirectories(sessionsDirectory: string): void {
  for (const name of readdirSync(sessionsDirectory)) {
    removeWarmDirectory(join(sessionsDirectory, name));
  }
}
