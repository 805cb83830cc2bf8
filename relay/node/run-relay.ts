/**
 * The parent of a command, where the static relay does not run: the command, and the connections
 * to and from its loopback.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { constants } from 'node:os';
import type { ProcessClaim } from '../../contract/session-process.ts';
import { assertSocketPath } from '../../contract/socket-path.ts';
import { abandonAfter } from '../../lib/timing/time-limit.ts';
import { type Dialed, forwardConnections } from './forward.ts';
import { killGroup } from './kill-group.ts';
import { type Listen, listenOnPort } from './listen.ts';
import { type Ready, reportReady } from './ready.ts';
import { reportProcess } from './report-process.ts';

export interface RunRelayOptions {
  /** What others reach of the command; null for nothing. */
  dialed: Dialed | null;
  /** What the command reaches. */
  listens: readonly Listen[];
  /** When it counts as ready; null: nobody asks. */
  ready: Ready | null;
  /** Where to report to the sidecar how it started, got ready and ended; null for nowhere. */
  reportPath: string | null;
  command: string;
  args: readonly string[];
  env: Readonly<Record<string, string | undefined>>;
  report(line: string): void;
}

const passedSignals = ['SIGTERM', 'SIGINT', 'SIGHUP', 'SIGUSR1', 'SIGUSR2'] as const;
const notFound = 127;
const notExecutable = 126;
const signalBase = 128;
/** What the ended service wrote may still arrive. */
const lastBytesMs = 500;

/**
 * Runs the command with our own output and passes signals on. Resolves with its exit code, as a shell has it;
 * throws before it is started when a port is taken.
 */
export async function runCommandRelay(options: RunRelayOptions): Promise<number> {
  const { dialed, listens, ready, reportPath, command, args, env, report } = options;
  for (const path of [dialed?.socketPath, ...listens.map(({ socketPath }) => socketPath)]) {
    assertSocketPath(path ?? '');
  }
  const listeners = await Promise.all(listens.map(listenOnPort));
  // A separate process group, so that the command's child processes end with it.
  const child = spawn(command, args, { env, stdio: 'inherit', detached: true });
  for (const name of passedSignals) {
    process.on(name, () => child.kill(name));
  }
  const ending = new AbortController();
  const { signal } = ending;
  child.once('spawn', () => void reportProcess(reportPath, { type: 'started' }));
  const work = [
    dialed === null ? null : forwardConnections(dialed, signal),
    ready === null ? null : reportReady(ready, { env, reportPath, signal }),
  ];
  const end = await endOf(child, (why) => report(`cannot start "${command}": ${why}`));
  ending.abort();
  await reportProcess(reportPath, end.claim);
  await abandonAfter(lastBytesMs, Promise.all(work), () => undefined);
  for (const listener of listeners) {
    listener.close();
  }
  return end.code;
}

interface End {
  code: number;
  claim: ProcessClaim;
}

function endOf(child: ChildProcess, onFailure: (why: string) => void): Promise<End> {
  return new Promise((resolve) => {
    child.once('error', (error) => {
      const code = 'code' in error ? String(error.code) : 'EIO';
      onFailure(code);
      const claim: ProcessClaim = { type: 'not_started', error: code };
      resolve({ code: code === 'ENOENT' ? notFound : notExecutable, claim });
    });
    child.once('exit', (exitCode, signal) => {
      killGroup(child, 'SIGKILL');
      const code = signal === null ? (exitCode ?? 1) : signalBase + constants.signals[signal];
      resolve({ code, claim: { type: 'ended', exit_code: exitCode, signal } });
    });
  });
}
