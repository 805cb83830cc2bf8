import type { ChildProcess } from 'node:child_process';

/** Signals the process group of a child that was started as `detached`, and so leads one. */
export function killGroup({ pid }: ChildProcess, signal: NodeJS.Signals): void {
  try {
    if (pid !== undefined) {
      process.kill(-pid, signal);
    }
  } catch {
    // Nobody is left in the group.
  }
}
