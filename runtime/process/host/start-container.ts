/** Starts one container, sandboxed or not, with its network. Shared by the session's host and the driver's own checks. */
import { type ChildProcess, spawn } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import type { ContainerLaunch } from '../host-protocol.ts';
import { renderEnvironment } from '../render-sandbox.ts';
import { blockedRoutes, connectNetwork } from './network.ts';

/** No core dump may hold a secret. */
const noCoreDumps = 'ulimit -c 0; exec "$@"';
/** In a new network namespace: say so, wait until it is connected, close the private ranges, become the container. */
const connectedFirst = `ulimit -c 0; echo >&4; read go <&4 || exit 1; exec 4<&-
for range in $BLOCKED; do ip route add unreachable "$range" || exit 1; done; unset BLOCKED; exec "$@"`;

export interface StartedContainer {
  process: ChildProcess;
  /** What else ends with it. */
  stopNetwork(): void;
}

/** `output` takes stdout and stderr. Throws when the program cannot be started or its network cannot be connected. */
export async function startContainer(
  launch: ContainerLaunch,
  output: number | 'ignore',
): Promise<StartedContainer> {
  if (launch.sandbox === null) {
    // A process group of its own, so that all of it can be ended.
    const child = spawnShell(noCoreDumps, launch.argv, {
      env: launch.env,
      cwd: launch.cwd,
      output,
      detached: true,
    });
    return { process: child, stopNetwork: () => undefined };
  }
  const command = ['bwrap', '--args', '3', '--', ...launch.argv];
  const sandbox = [...launch.sandbox, ...renderEnvironment(launch.env)];
  return launch.network === 'none'
    ? startIsolated(command, sandbox, output)
    : startConnected(command, sandbox, output);
}

function startIsolated(command: string[], sandbox: string[], output: number | 'ignore'): StartedContainer {
  const child = spawnShell(noCoreDumps, command, { env: hostEnv, output });
  pipe(child, 3).end(nulTerminated(sandbox));
  return { process: child, stopNetwork: () => undefined };
}

async function startConnected(
  command: string[],
  sandbox: string[],
  output: number | 'ignore',
): Promise<StartedContainer> {
  const child = spawn(
    'unshare',
    ['--user', '--map-root-user', '--net', 'sh', '-c', connectedFirst, 'sh', ...command],
    {
      env: { ...hostEnv, BLOCKED: blockedRoutes().join(' ') },
      stdio: ['ignore', output, output, 'pipe', 'pipe'],
    },
  );
  pipe(child, 3).end(nulTerminated(sandbox));
  try {
    await firstByte(child, child.stdio[4] as Readable);
    const network = await connectNetwork(child.pid ?? 0);
    child.once('exit', network.stop);
    pipe(child, 4).end('go\n');
    return { process: child, stopNetwork: network.stop };
  } catch (error) {
    child.kill('SIGKILL');
    throw error;
  }
}

interface Options {
  env: Readonly<Record<string, string>>;
  output: number | 'ignore';
  cwd?: string;
  detached?: boolean;
}

function spawnShell(
  script: string,
  command: string[],
  { env, output, cwd, detached = false }: Options,
): ChildProcess {
  return spawn('/bin/sh', ['-c', script, 'sh', ...command], {
    env,
    detached,
    ...(cwd === undefined ? {} : { cwd }),
    stdio: ['ignore', output, output, 'pipe'],
  });
}

/** What the sandbox's own programs are found with; nothing of it reaches the container. */
const hostEnv = { PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin' };

function pipe(child: ChildProcess, fd: number): Writable {
  const stream = child.stdio[fd] as Writable;
  // A program that ended before it read everything says so by its exit.
  stream.on('error', () => undefined);
  return stream;
}

const nulTerminated = (values: readonly string[]) => values.map((value) => `${value}\0`).join('');

function firstByte(child: ChildProcess, stream: Readable): Promise<void> {
  return new Promise((resolve, reject) => {
    stream.once('data', () => resolve());
    child.once('error', reject);
    child.once('exit', (code) => reject(new Error(`the network namespace was not made (exit code ${code})`)));
  });
}
