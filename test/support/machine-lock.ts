/**
 * One process on this machine at a time, by a file that names the holder. A lock of a
 * dead process does not count.
 */
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import * as z from 'zod';
import { identify, isRunning, type ProcessIdentity } from '../../runtime/process/process-identity.ts';

const identity = z.object({ pid: z.int(), startedAt: z.string() });

/** Runs `work` alone among all that use the same file. */
export async function whileLocked<Result>(file: string, work: () => Promise<Result>): Promise<Result> {
  while (!take(file)) {
    await sleep(100);
  }
  try {
    return await work();
  } finally {
    rmSync(file, { force: true });
  }
}

/** Takes the lock when nobody has it. */
function take(file: string): boolean {
  try {
    leaveMark(file, process.pid, 'wx');
    return true;
  } catch {
    if (holderOf(file) === 'dead') {
      rmSync(file, { force: true });
    }
    return false;
  }
}

/** Writes down which very process this is. */
export function leaveMark(file: string, pid: number, flag: 'w' | 'wx' = 'w'): void {
  writeFileSync(file, JSON.stringify(identify(pid)), { flag });
}

/** The process that left the mark; null without a whole one. */
export function readMark(file: string): ProcessIdentity | null {
  try {
    return identity.parse(JSON.parse(readFileSync(file, 'utf8')));
  } catch {
    return null;
  }
}

/** Whether the process that left the mark still runs. A file that is being written counts as alive. */
export function holderOf(file: string): 'alive' | 'dead' | 'none' {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch {
    return 'none';
  }
  if (text === '') {
    return 'alive';
  }
  const parsed = identity.safeParse(JSON.parse(text));
  return parsed.success && isRunning(parsed.data) ? 'alive' : 'dead';
}
