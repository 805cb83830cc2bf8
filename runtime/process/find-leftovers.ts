/** Finds leftover processes of a session whose host is dead, without any record of it. */
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { basename } from 'node:path';
import { identify, type ProcessIdentity } from './process-identity.ts';

/**
 * Processes of this machine that certainly belong to the session: its host and sidecar, those with the
 * session's directory mounted in a sandbox, and those with their home in it, even a sandbox being set up.
 * Linux only; elsewhere the list is empty.
 */
export function findLeftovers(directory: string): ProcessIdentity[] {
  if (process.platform !== 'linux') {
    return [];
  }
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .filter((pid) => belongsTo(directory, pid))
    .flatMap((pid) => identify(Number(pid)) ?? []);
}

/**
 * Mounts are matched by id only: their paths are relative to the root of their file
 * system, not of this machine.
 */
function belongsTo(directory: string, pid: string): boolean {
  const sessionId = basename(directory);
  const commandLine = orEmpty(() => readFileSync(`/proc/${pid}/cmdline`, 'utf8'));
  const isOwn = /\/(session-host|sidecar)\.js\0$/.test(commandLine);
  return (
    (isOwn && basename(orEmpty(() => readlinkSync(`/proc/${pid}/cwd`))) === sessionId) ||
    orEmpty(() => readFileSync(`/proc/${pid}/environ`, 'utf8')).includes(`HOME=${directory}/work/`) ||
    orEmpty(() => readFileSync(`/proc/${pid}/mountinfo`, 'utf8')).includes(`/${sessionId}/`)
  );
}

/** Empty for what may not be read, or has ended. */
function orEmpty(read: () => string): string {
  try {
    return read();
  } catch {
    return '';
  }
}
