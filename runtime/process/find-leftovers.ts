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
  const isMounted = mountSearch(basename(directory));
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .filter((pid) => belongsTo(directory, pid) || isMounted(pid))
    .flatMap((pid) => identify(Number(pid)) ?? []);
}

function belongsTo(directory: string, pid: string): boolean {
  const sessionId = basename(directory);
  const commandLine = orEmpty(() => readFileSync(`/proc/${pid}/cmdline`, 'utf8'));
  const isOwn = /\/(session-host|sidecar)\.js\0$/.test(commandLine);
  return (
    (isOwn && basename(orEmpty(() => readlinkSync(`/proc/${pid}/cwd`))) === sessionId) ||
    orEmpty(() => readFileSync(`/proc/${pid}/environ`, 'utf8')).includes(`HOME=${directory}/work/`)
  );
}

/**
 * Whether a process has the session's directory mounted, matched by id only: paths are relative to the root
 * of their file system, not of this machine. The mounts of a namespace are read once, and those of this
 * process's own not at all, since a session's directory is mounted in sandboxes alone: an engine's thousands
 * of mounts would be read for each process of the machine.
 */
function mountSearch(sessionId: string): (pid: string) => boolean {
  const namespaceOf = (pid: string) => orEmpty(() => readlinkSync(`/proc/${pid}/ns/mnt`));
  const found = new Map([[namespaceOf('self'), false]]);
  return (pid) => {
    const namespace = namespaceOf(pid);
    const known = namespace === '' ? undefined : found.get(namespace);
    if (known !== undefined) {
      return known;
    }
    const mounts = orEmpty(() => readFileSync(`/proc/${pid}/mountinfo`, 'utf8'));
    const isMounted = mounts.includes(`/${sessionId}/`);
    // Nothing is known of the mounts of a process that has just ended.
    if (mounts !== '') {
      found.set(namespace, isMounted);
    }
    return isMounted;
  };
}

/** Empty for what may not be read, or has ended. */
function orEmpty(read: () => string): string {
  try {
    return read();
  } catch {
    return '';
  }
}
