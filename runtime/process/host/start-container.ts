/** Starts one container, sandboxed or not, with its network. Shared by the session's host and the driver's own checks. */
import { type ChildProcess, spawn } from 'node:child_process';
import type { Duplex } from 'node:stream';
import type { ContainerLaunch } from '../host-protocol.ts';
import { renderEnvironment } from '../render-sandbox.ts';
import { renderSeccomp } from '../render-seccomp.ts';
import { blockedRoutes, connectNetwork } from './network.ts';

/** No core dump may hold a secret. */
const noCoreDumps = 'ulimit -c 0; exec "$@"';
/** In a new network namespace: say so, wait until it is connected, close the private ranges, become the container. */
const connectedFirst = `ulimit -c 0; echo >&5; read go <&5 || exit 1; exec 5<&-
for range in $BLOCKED; do ip route add unreachable "$range" || exit 1; done; unset BLOCKED; exec "$@"`;

export interface StartedContainer {
  process: ChildProcess;
  /** Then the process is bubblewrap. */
  sandboxed: boolean;
  /** What else ends with it. */
  stopNetwork(): void;
}

/** `output` takes stdout and stderr. Throws when the program cannot be started or its network cannot be connected. */
export async function startContainer(
  launch: ContainerLaunch,
  output: number | 'ignore',
): Promise<StartedContainer> {
  if (launch.sandbox === null) {
    const child = spawn('/bin/sh', ['-c', noCoreDumps, 'sh', ...launch.argv], {
      env: launch.env,
      cwd: launch.cwd,
      stdio: ['ignore', output, output],
      // A process group of its own, so that all of it can be ended.
      detached: true,
    });
    return { process: child, sandboxed: false, stopNetwork: () => undefined };
  }
  const command = ['bwrap', '--args', '3', '--seccomp', '4', '--', ...launch.argv];
  const start = launch.network === 'none' ? startIsolated : startConnected;
  return start(command, pipedInto(launch.sandbox, launch.env), output);
}

type FillPipes = (child: ChildProcess) => void;

/** What bubblewrap reads from its pipes: the sandbox with its environment, and the system call filter. */
function pipedInto(sandbox: readonly string[], env: Readonly<Record<string, string>>): FillPipes {
  const filter = renderSeccomp(process.arch);
  if (filter === null) {
    throw new Error(`there is no system call filter for ${process.arch}`);
  }
  return (child) => {
    pipe(child, 3).end(nulTerminated([...sandbox, ...renderEnvironment(env)]));
    pipe(child, 4).end(filter);
  };
}

function startIsolated(command: string[], fillPipes: FillPipes, output: number | 'ignore'): StartedContainer {
  const child = spawn('/bin/sh', ['-c', noCoreDumps, 'sh', ...command], {
    env: hostEnv,
    stdio: ['ignore', output, output, 'pipe', 'pipe'],
  });
  fillPipes(child);
  return { process: child, sandboxed: true, stopNetwork: () => undefined };
}

async function startConnected(
  command: string[],
  fillPipes: FillPipes,
  output: number | 'ignore',
): Promise<StartedContainer> {
  const child = spawn(
    'unshare',
    ['--user', '--map-root-user', '--net', 'sh', '-c', connectedFirst, 'sh', ...command],
    {
      env: { ...hostEnv, BLOCKED: blockedRoutes().join(' ') },
      stdio: ['ignore', output, output, 'pipe', 'pipe', 'pipe'],
    },
  );
  fillPipes(child);
  try {
    await firstByte(child, pipe(child, 5));
    const network = await connectNetwork(child.pid ?? 0);
    child.once('exit', network.stop);
    pipe(child, 5).end('go\n');
    return { process: child, sandboxed: true, stopNetwork: network.stop };
  } catch (error) {
    child.kill('SIGKILL');
    throw error;
  }
}

/** What the sandbox's own programs are found with; nothing of it reaches the container. */
const hostEnv = { PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin' };

function pipe(child: ChildProcess, fd: number): Duplex {
  const stream = child.stdio[fd] as Duplex;
  // A program that ended before it read everything says so by its exit.
  stream.on('error', () => undefined);
  return stream;
}

const nulTerminated = (values: readonly string[]) => values.map((value) => `${value}\0`).join('');

function firstByte(child: ChildProcess, stream: Duplex): Promise<void> {
  return new Promise((resolve, reject) => {
    stream.once('data', () => resolve());
    child.once('error', reject);
    child.once('exit', (code) => reject(new Error(`the network namespace was not made (exit code ${code})`)));
  });
}
