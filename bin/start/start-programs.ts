/** API and worker as programs of their own, kept running until the platform stops. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { findCgroups } from '../../runtime/process/host/cgroups.ts';
import { limitsSentence } from '../../runtime/process/limits-sentence.ts';
import type { Db } from '../../store/database.ts';
import { type DemoRemote, demoRemoteProgram } from './demo-remote.ts';
import { endSessions } from './end-sessions.ts';
import type { PlatformKeys } from './keys.ts';
import { type EmbeddedAddresses, processEnvironments } from './process-environments.ts';
import { StartError } from './start-error.ts';
import type { StartPlatformOptions, Undo } from './start-options.ts';
import { type SupervisedProcess, type SupervisedProgram, supervise } from './supervised-process.ts';
import { signalTerminate } from './temporal.ts';

export interface Provided {
  data: string;
  keys: PlatformKeys;
  addresses: EmbeddedAddresses;
  demoRemote: DemoRemote | null;
  db: Db;
}

const healthTimeoutMs = 60_000;
const sessionsEndLimitMs = 15_000;

/**
 * Starts them, the demo's remote server beside them, and waits until the API serves; returns the directory of
 * their sessions. A remote server that does not start is only reported. Throws StartError.
 */
export async function startPrograms(
  options: StartPlatformOptions,
  { data, keys, addresses, demoRemote, db }: Provided,
  undo: Undo,
): Promise<{ sessionsDirectory: string }> {
  const { root, progress, environment, signal } = options;
  const sessionsDirectory = join(data, 'sessions');
  mkdirSync(sessionsDirectory, { recursive: true, mode: 0o700 });
  const environments = processEnvironments(keys, addresses, sessionsDirectory, environment);
  const start = (program: Pick<SupervisedProgram, 'name' | 'script' | 'environment'>) => {
    const started = supervise({ ...program, directory: data, onExit: progress });
    undo.push(started.stop);
    return started;
  };
  const programs = (['api', 'worker'] as const).map((name) =>
    start({ name, script: join(root, 'dist', `${name}.js`), environment: environments[name] }),
  );
  if (demoRemote !== null) {
    start(demoRemoteProgram(root, demoRemote));
  }
  await waitForHealth(`http://127.0.0.1:${addresses.port}`, programs, signal);
  progress(`API and worker run; what they say is in ${data}`);
  progress(limitsSentence(findCgroups()));
  undo.push(() =>
    endSessions({
      db,
      sessionsDirectory,
      signalTerminate: (id) => signalTerminate(addresses, id),
      progress,
      waitLimitMs: sessionsEndLimitMs,
    }),
  );
  return { sessionsDirectory };
}

/**
 * Waits until the API answers and reaches its database. A program that keeps exiting is
 * reported with its output.
 */
async function waitForHealth(url: string, programs: SupervisedProcess[], signal: AbortSignal): Promise<void> {
  const deadline = Date.now() + healthTimeoutMs;
  for (;;) {
    signal.throwIfAborted();
    const answer = await fetch(`${url}/api/health`, { signal: AbortSignal.timeout(2_000) }).catch(() => null);
    if (answer?.ok === true) {
      return;
    }
    const ended = programs.find((program) => program.exits() >= 3);
    if (ended !== undefined || Date.now() > deadline) {
      const program = ended ?? programs[0];
      throw new StartError(`The ${program?.name} does not start. It said:\n${program?.output()}`);
    }
    await sleep(50);
  }
}
