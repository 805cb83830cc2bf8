/** Starts the process of a session's host, which waits for its launch on standard input. */
import { spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import type { HostLaunch } from './host-protocol.ts';
import { type Programs, sessionFiles } from './layout.ts';
import { identify, type ProcessIdentity } from './process-identity.ts';

export interface WaitingHost {
  identity: ProcessIdentity;
  /** Once. Until then it ends with this process. */
  give(launch: HostLaunch): void;
  kill(): void;
}

/**
 * Detached: it outlives the worker. The launch goes through a pipe, since it holds secrets; no core
 * dump of the host or of what it starts may hold them either. `directory` has a place for logs.
 * Throws when it does not start.
 */
export function spawnHost({ nodePrefix, directory: programs }: Programs, directory: string): WaitingHost {
  const log = openSync(sessionFiles(directory).log('host'), 'a', 0o600);
  const argv = [`${nodePrefix}/bin/node`, `${programs}/session-host.js`];
  const child = spawn('/bin/sh', ['-c', 'ulimit -c 0; exec "$@"', 'sh', ...argv], {
    cwd: directory,
    detached: true,
    env: { PATH: '/usr/local/bin:/usr/bin:/bin' },
    stdio: ['pipe', log, log],
  });
  closeSync(log);
  child.on('error', () => undefined);
  child.stdin?.on('error', () => undefined);
  child.unref();
  const identity = identify(child.pid);
  if (identity === null) {
    throw new Error('the session host did not start');
  }
  return {
    identity,
    give: (launch) => child.stdin?.end(JSON.stringify(launch)),
    kill: () => child.kill('SIGKILL'),
  };
}
