/**
 * One long-running program of the platform, kept running: restarted when it ends, sooner the longer it ran.
 * It has a process group of its own, so Ctrl-C reaches the start-up alone, which ends its programs in order.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, existsSync, openSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createDelays } from '../../lib/timing/retry.ts';
import { identify, type ProcessIdentity, stopProcess } from '../../runtime/process/process-identity.ts';

export interface SupervisedProgram {
  name: string;
  script: string;
  environment: Record<string, string>;
  /** Its output goes to `<directory>/<name>.log`, its identity to `<directory>/<name>.json`. */
  directory: string;
  /** Called each time it exits unexpectedly. */
  onExit(description: string): void;
}

export interface SupervisedProcess {
  name: string;
  /** The last lines of its output. */
  output(): string;
  /** How often it exited unexpectedly. */
  exits(): number;
  stop(): Promise<void>;
}

const steadyAfterMs = 30_000;
const steadyDelayMs = 200;
/** Between the starts of a program that ends earlier. */
const crashDelays = { firstDelayMs: 400, maxDelayMs: 10_000 };

/** Ends what a killed start-up left behind under this name. */
export async function stopLeftover(directory: string, name: string): Promise<void> {
  const file = identityFileOf(directory, name);
  if (existsSync(file)) {
    await end(JSON.parse(readFileSync(file, 'utf8')) as ProcessIdentity);
    rmSync(file, { force: true });
  }
}

export function supervise(program: SupervisedProgram): SupervisedProcess {
  const logFile = join(program.directory, `${program.name}.log`);
  const identityFile = identityFileOf(program.directory, program.name);
  if (existsSync(logFile)) {
    renameSync(logFile, `${logFile}.1`);
  }
  let stopping = false;
  let exits = 0;
  const delays = createDelays(crashDelays);
  let current: ProcessIdentity | null = null;

  const start = () => {
    const startedAtMs = Date.now();
    const child = spawnDetached(program, logFile);
    current = child.pid === undefined ? null : identify(child.pid);
    if (current !== null) {
      writeFileSync(identityFile, JSON.stringify(current), { mode: 0o600 });
    }
    child.once('exit', async (code, signal) => {
      if (stopping) {
        return;
      }
      exits += 1;
      const isSteady = Date.now() - startedAtMs > steadyAfterMs;
      if (isSteady) {
        delays.reset();
      }
      program.onExit(`${program.name} ended with ${signal ?? `exit code ${code}`}; starting it again`);
      await sleep(isSteady ? steadyDelayMs : delays.next());
      if (!stopping) {
        start();
      }
    });
  };
  start();

  return {
    name: program.name,
    output: () => lastLines(logFile),
    exits: () => exits,
    stop: async () => {
      stopping = true;
      if (current !== null) {
        await end(current);
      }
      rmSync(identityFile, { force: true });
    },
  };
}

function spawnDetached(program: SupervisedProgram, logFile: string): ChildProcess {
  const log = openSync(logFile, 'a', 0o600);
  try {
    return spawn(process.execPath, [program.script], {
      detached: true,
      stdio: ['ignore', log, log],
      env: program.environment,
    });
  } finally {
    closeSync(log);
  }
}

function identityFileOf(directory: string, name: string): string {
  return join(directory, `${name}.json`);
}

function end(identity: ProcessIdentity): Promise<void> {
  return stopProcess(identity, [{ signal: 'SIGTERM', waitMs: 15_000 }]);
}

function lastLines(file: string): string {
  try {
    return readFileSync(file, 'utf8').trim().split('\n').slice(-8).join('\n');
  } catch {
    return '';
  }
}
