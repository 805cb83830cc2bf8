/** When a command counts as ready: asked each second, beside the command, until it is. */
import { type ChildProcess, spawn } from 'node:child_process';
import { createConnection } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { killGroup } from './kill-group.ts';
import { reportProcess } from './report-process.ts';

/** Its port takes a connection, or a command ends with 0. */
export type Ready = { type: 'port'; port: number } | { type: 'command'; command: string; args: string[] };

const intervalMs = 1000;
const connectLimitMs = 1000;
const commandLimitMs = 10_000;
/**
 * For a sidecar that is being restarted: while it is unreachable, and once it was told, since its
 * successor knows nothing of it.
 */
const unreachableMs = 500;
const tellAgainMs = 5000;

/** Tells the sidecar, once it is ready, again and again. Returns when aborted. */
export async function reportReady(
  ready: Ready,
  {
    env,
    reportPath,
    signal,
  }: {
    env: Readonly<Record<string, string | undefined>>;
    reportPath: string | null;
    signal: AbortSignal;
  },
): Promise<void> {
  const isReady = () => (ready.type === 'port' ? takesConnections(ready.port) : succeeds(ready, env, signal));
  while (!signal.aborted && !(await isReady())) {
    await pause(intervalMs, signal);
  }
  while (!signal.aborted) {
    const isTold = await reportProcess(reportPath, { type: 'ready' });
    await pause(isTold ? tellAgainMs : unreachableMs, signal);
  }
}

const pause = (ms: number, signal: AbortSignal) => sleep(ms, undefined, { signal }).catch(() => undefined);

function takesConnections(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = createConnection({ host: '127.0.0.1', port });
    const settle = (isTaken: boolean) => {
      socket.destroy();
      resolve(isTaken);
    };
    socket.setTimeout(connectLimitMs, () => settle(false));
    socket.once('error', () => settle(false));
    socket.once('connect', () => settle(true));
  });
}

/** What it writes is dropped: it would stand between what the command itself says, each second. */
function succeeds(
  { command, args }: { command: string; args: readonly string[] },
  env: Readonly<Record<string, string | undefined>>,
  signal: AbortSignal,
): Promise<boolean> {
  return new Promise((resolve) => {
    const child: ChildProcess = spawn(command, args, { env, stdio: 'ignore', detached: true });
    const kill = () => killGroup(child, 'SIGKILL');
    const timer = setTimeout(kill, commandLimitMs);
    signal.addEventListener('abort', kill, { once: true });
    const settle = (isReady: boolean) => {
      clearTimeout(timer);
      signal.removeEventListener('abort', kill);
      kill();
      resolve(isReady);
    };
    child.once('error', () => settle(false));
    child.once('exit', (code) => settle(code === 0));
  });
}
