/** A static program that tries what a hostile command would (probe/probe.c). */
import { execFileSync } from 'node:child_process';
import { join, resolve } from 'node:path';

/** Builds it into a directory. Throws with the compiler's output. */
export function buildProbe(directory: string): string {
  const probe = join(directory, 'probe');
  execFileSync('sh', [resolve('relay/static/build.sh'), probe, resolve('test/integration/relay/probe')]);
  return probe;
}

/** The outcome of each attempt. */
export function outcomesIn(stdout: string): Record<string, string> {
  const lines = stdout.trim().split('\n').filter(Boolean);
  return Object.fromEntries(lines.map((line) => line.split(/ (.*)/s).slice(0, 2)));
}

/** The same outcome for many attempts. */
export const all = (attempts: readonly string[], outcome: string): Record<string, string> =>
  Object.fromEntries(attempts.map((attempt) => [attempt, outcome]));
