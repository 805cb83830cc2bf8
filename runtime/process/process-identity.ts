/**
 * Distinguishes a process from a later one with the same id, so that no foreign process is
 * ever adopted or stopped.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

export interface ProcessIdentity {
  pid: number;
  /** When it started, in the system's own terms; only ever compared. */
  startedAt: string;
}

/**
 * Identity of a running process; null when there is none (as after a failed spawn), or when it is a zombie.
 */
export function identify(pid: number | undefined): ProcessIdentity | null {
  if (pid === undefined) {
    return null;
  }
  const startedAt = process.platform === 'linux' ? startTimeFromProc(pid) : startTimeFromPs(pid);
  return startedAt === null ? null : { pid, startedAt };
}

export function isRunning(identity: ProcessIdentity): boolean {
  return identify(identity.pid)?.startedAt === identity.startedAt;
}

/** Sends a signal to exactly this process; a no-op when it has ended. */
export function signal(identity: ProcessIdentity, name: NodeJS.Signals): void {
  if (!isRunning(identity)) {
    return;
  }
  try {
    process.kill(identity.pid, name);
  } catch (error) {
    if (!(error !== null && typeof error === 'object' && 'code' in error && error.code === 'ESRCH')) {
      throw error;
    }
  }
}

/** Waits until the process has ended. Resolves to false when it still runs after `timeoutMs`. */
async function waitForExit(identity: ProcessIdentity, timeoutMs: number): Promise<boolean> {
  const deadline = Date.now() + timeoutMs;
  while (isRunning(identity)) {
    if (Date.now() > deadline) {
      return false;
    }
    await sleep(25);
  }
  return true;
}

/** Stops a process: each signal in turn, with its grace period, finally SIGKILL. */
export async function stopProcess(
  identity: ProcessIdentity,
  steps: readonly { signal: NodeJS.Signals; waitMs: number }[],
): Promise<void> {
  for (const step of [...steps, { signal: 'SIGKILL' as const, waitMs: 5_000 }]) {
    signal(identity, step.signal);
    if (await waitForExit(identity, step.waitMs)) {
      return;
    }
  }
  throw new Error(`process ${identity.pid} does not stop`);
}

/** Field 22 of /proc/<pid>/stat; the name before it may hold blanks and parentheses. Field 3 is the state. */
function startTimeFromProc(pid: number): string | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return fields[0] === 'Z' ? null : (fields[19] ?? null);
  } catch {
    return null;
  }
}

function startTimeFromPs(pid: number): string | null {
  try {
    const text = execFileSync('ps', ['-o', 'stat=,lstart=', '-p', String(pid)], { encoding: 'utf8' }).trim();
    return text === '' || text.startsWith('Z') ? null : text.replace(/^\S+\s+/, '');
  } catch {
    return null;
  }
}
