/** Runs the official scenarios, and reads the outcome of each of their checks. */
import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { constants, setPriority, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import * as z from 'zod';

export type Revision = '2025-11-25' | '2026-07-28';
/** By scenario, the status of each run of each check: `check: STATUS`, sorted. */
export type Outcome = Map<string, string[]>;

const checks = z.array(z.looseObject({ id: z.string(), status: z.string() }));
const commands = fileURLToPath(new URL('runner/node_modules/.bin/', import.meta.url));

/**
 * Everything that the revision requires of a server, and what its set reports without counting it.
 * Throws when nothing ran.
 */
export const runScenarios = (url: string, revision: Revision): Promise<Outcome> =>
  run(['server', '--url', url, '--requirements', revision]);

/**
 * What the revision requires of a client's sign-in, and what its set reports without counting it; the command
 * is given a server's URL. Throws when nothing ran.
 */
export async function runSignInScenarios(command: string, revision: Revision): Promise<Outcome> {
  const options = ['--requirements', revision, '--timeout', '240000'];
  // It starts a client for each scenario, all at once: whatever else is tested at this moment comes first.
  return run(['client', '--command', command, ...options], 'auth', constants.priority.PRIORITY_BELOW_NORMAL);
}

/** The checks of one scenario of a client; the command is given the URL of a server. */
export async function runClientScenario(
  command: string,
  scenario: string,
  revision: Revision,
): Promise<string[]> {
  const options = ['--scenario', scenario, '--spec-version', revision, '--timeout', '240000'];
  const outcome = await run(['client', '--command', command, ...options]);
  return [...outcome.values()].flat();
}

/** Results are in a folder of the output, or in the output itself. */
async function run(options: string[], folder = '.', priority = 0): Promise<Outcome> {
  const directory = await mkdtemp(join(tmpdir(), 'conformance-'));
  try {
    const program = [join(commands, 'conformance'), ...options, '-o', directory];
    // Its exit code says whether all checks passed; which did not is in the outcome.
    const running = promisify(execFile)(join(commands, 'node'), program, { maxBuffer: 64 * 1024 * 1024 });
    if (running.child.pid !== undefined && priority !== 0) {
      setPriority(running.child.pid, priority);
    }
    await running.catch((error: { code?: unknown }) => {
      if (error.code !== 1) {
        throw error;
      }
    });
    const outcome = await readOutcome(join(directory, folder));
    if (outcome.size === 0) {
      throw new Error(`no scenario ran: ${options.join(' ')}`);
    }
    return outcome;
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

async function readOutcome(directory: string): Promise<Outcome> {
  const outcome: Outcome = new Map();
  for (const name of await readdir(directory)) {
    const scenario = name.replace(/^server-/, '').replace(/-\d{4}-\d\d-\d\dT[\d-]+Z$/, '');
    const file = await readFile(join(directory, name, 'checks.json'), 'utf8');
    const found = checks.parse(JSON.parse(file)).map(({ id, status }) => `${id}: ${status}`);
    outcome.set(scenario, found.toSorted());
  }
  return outcome;
}

export function countPasses(outcome: Outcome): number {
  return [...outcome.values()].flat().filter((check) => check.endsWith(': SUCCESS')).length;
}
