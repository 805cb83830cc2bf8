/**
 * Reliably ends a session on this machine: stops the host gracefully, kills the leftovers,
 * then removes its directory.
 */
import { readFileSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { auditSpoolPath } from '../../contract/audit-spool.ts';
import { handOverSpool } from '../hand-over-spool.ts';
import type { TakeLeftCalls } from '../workload.ts';
import { findLeftovers } from './find-leftovers.ts';
import { sidecarName } from './layout.ts';
import { isRunning, type ProcessIdentity, signal, stopProcess } from './process-identity.ts';
import { readHost, readState } from './session-record.ts';

/** The host ends its containers within 2 s, or 20 s with a repository, and its sidecar within 8 s. */
const hostGraceMs = 30_000;
/** A sidecar that lost its host hands its last records to the platform, within 8 s. */
const sidecarGraceMs = 9000;
const leftoverRounds = 5;

/** Asks the host to end its session and does not wait. */
export function askToStop(directory: string): void {
  const host = readHost(directory);
  if (host !== null) {
    signal(host, 'SIGTERM');
  }
}

/**
 * Idempotent. Throws when something of the session does not end, or its sidecar's unreported records or its
 * patch are not accepted; then its directory stays.
 */
export async function stopSession(
  directory: string,
  takeLeftCalls: TakeLeftCalls,
  handOverPatch: (directory: string) => Promise<void> = async () => undefined,
): Promise<void> {
  const host = readHost(directory);
  if (host !== null) {
    await stopProcess(host, [{ signal: 'SIGTERM', waitMs: hostGraceMs }]);
  }
  for (const { name, process: left } of readState(directory)?.containers ?? []) {
    if (left !== null && isRunning(left)) {
      await (name === sidecarName
        ? stopProcess(left, [{ signal: 'SIGTERM', waitMs: sidecarGraceMs }])
        : stopGroup(left));
    }
  }
  await stopLeftovers(directory);
  await handOverSpool(basename(directory), readSpoolFile(directory), takeLeftCalls);
  await handOverPatch(directory);
  rmSync(directory, { recursive: true, force: true, maxRetries: 3 });
}

/** In rounds: dying processes may still have started others. */
async function stopLeftovers(directory: string): Promise<void> {
  for (let round = 0; round < leftoverRounds; round += 1) {
    const left = findLeftovers(directory);
    if (left.length === 0) {
      return;
    }
    await Promise.all(left.map(stopGroup));
  }
  throw new Error('something of the session starts again and again, and cannot be stopped');
}

/** Without a sandbox a container is a process group of its own; a sandbox dies with its first process. */
async function stopGroup(leader: ProcessIdentity): Promise<void> {
  try {
    if (isRunning(leader)) {
      process.kill(-leader.pid, 'SIGKILL');
    }
  } catch {
    // Not a group.
  }
  await stopProcess(leader, []);
}

/** The spool in a session's directory; null when there is none. */
function readSpoolFile(directory: string): Buffer | null {
  try {
    return readFileSync(join(directory, auditSpoolPath));
  } catch (error) {
    if (error !== null && typeof error === 'object' && 'code' in error && error.code === 'ENOENT') {
      return null;
    }
    throw error;
  }
}
