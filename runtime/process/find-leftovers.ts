/** What still runs of a session whose host is gone, found without any record of it. */
import { readdirSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { identify, type ProcessIdentity } from './process-identity.ts';

/**
 * Processes of this machine that can be nothing but the session's: its host, what sees the session's directory mounted in
 * a sandbox, and what has its home in it without one. Linux only; elsewhere the list is empty.
 */
export function findLeftovers(directory: string): ProcessIdentity[] {
  if (process.platform !== 'linux') {
    return [];
  }
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .filter((pid) => belongsTo(directory, (file) => read(`/proc/${pid}/${file}`)))
    .flatMap((pid) => identify(Number(pid)) ?? []);
}

/** The id is enough for a mount: it is shown from the root of its file system, not of this machine. */
function belongsTo(directory: string, readProcess: (file: string) => string): boolean {
  const sessionId = basename(directory);
  return (
    readProcess('cmdline').endsWith(`session-host.js\0${sessionId}\0`) ||
    `\0${readProcess('environ')}`.includes(`\0HOME=${directory}/work/`) ||
    readProcess('mountinfo').includes(`/${sessionId}/work/`)
  );
}

/** Empty for what may not be read, or has ended. */
function read(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
