/**
 * The test runs of this directory that are under way. Each leaves its mark; marks of dead runs do not count.
 */
import { mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { holderOf, leaveMark } from './machine-lock.ts';

const marks = resolve('.cache/test/runs');

/** The process that all test files of one run share; the global set-up names it. */
export const testRun = (): number => Number(process.env['TEST_RUN_PID'] ?? process.pid);

export function beginTestRun(): void {
  mkdirSync(marks, { recursive: true });
  leaveMark(join(marks, String(testRun())), testRun());
}

export function endTestRun(): void {
  rmSync(join(marks, String(testRun())), { force: true });
}

/** The process ids of all runs but this one. */
export function otherTestRuns(): number[] {
  return readdirSync(marks)
    .filter((name) => {
      const holder = holderOf(join(marks, name));
      if (holder === 'dead') {
        rmSync(join(marks, name), { force: true });
      }
      return holder === 'alive';
    })
    .map(Number)
    .filter((run) => run !== testRun());
}
