/** Ends a session on this machine for sure: the host in order, then whatever is left of it, then its directory. */
import { rmSync } from 'node:fs';
import { isRunning, stopProcess } from './process-identity.ts';
import { readHost, readState } from './session-record.ts';

/** The host ends its containers within 2 s and its sidecar within 8 s. */
const hostGraceMs = 12_000;

/** Harmless when nothing is there. */
export async function stopSession(directory: string): Promise<void> {
  const host = readHost(directory);
  const state = readState(directory);
  if (host !== null) {
    await stopProcess(host, [{ signal: 'SIGTERM', waitMs: hostGraceMs }]);
  }
  for (const { process: left } of state?.containers ?? []) {
    if (left !== null && isRunning(left)) {
      killGroup(left.pid);
    }
  }
  rmSync(directory, { recursive: true, force: true, maxRetries: 3 });
}

/** Without a sandbox a container is a process group of its own; a sandbox dies with its first process. */
function killGroup(pid: number): void {
  for (const target of [-pid, pid]) {
    try {
      process.kill(target, 'SIGKILL');
      return;
    } catch {
      // Not a group, or gone already.
    }
  }
}
