/** The parent of a service's process, where the static relay does not run: the command, and what is forwarded to its port. */
import { type ChildProcess, spawn } from 'node:child_process';
import { constants } from 'node:os';
import { assertSocketPath } from '../../contract/socket-path.ts';
import { abandonAfter } from '../../lib/timing/time-limit.ts';
import { forwardConnections } from './forward.ts';
import { killGroup } from './kill-group.ts';

export interface ServiceRelayOptions {
  gatewayPath: string;
  port: number;
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

/** Runs the command with our own output and passes signals on. Resolves with its exit code, as a shell has it. */
export async function runServiceRelay({
  gatewayPath,
  port,
  command,
  args,
  env,
  report,
}: ServiceRelayOptions): Promise<number> {
  assertSocketPath(gatewayPath);
  // A separate process group, so that the command's child processes end with it.
  const child = spawn(command, args, { env, stdio: 'inherit', detached: true });
  for (const name of passedSignals) {
    process.on(name, () => child.kill(name));
  }
  const ending = new AbortController();
  const forwarding = forwardConnections({ gatewayPath, port, signal: ending.signal });
  const code = await exitCodeOf(child, (why) => report(`cannot start "${command}": ${why}`));
  ending.abort();
  await abandonAfter(lastBytesMs, forwarding, () => undefined);
  return code;
}

function exitCodeOf(child: ChildProcess, onFailure: (why: string) => void): Promise<number> {
  return new Promise((resolve) => {
    child.once('error', (error) => {
      const code = 'code' in error ? String(error.code) : 'EIO';
      onFailure(code);
      resolve(code === 'ENOENT' ? notFound : notExecutable);
    });
    child.once('exit', (code, signal) => {
      killGroup(child, 'SIGKILL');
      resolve(signal === null ? (code ?? 1) : signalBase + constants.signals[signal]);
    });
  });
}
