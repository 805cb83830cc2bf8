/**
 * Starts one container, sandboxed or not, with its network. Shared by the session's host and
 * the driver's own checks.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import type { Duplex } from 'node:stream';
import { withinLimit } from '../../../lib/timing/time-limit.ts';
import type { ContainerLaunch, ContainerLimits } from '../render-launch.ts';
import { renderSeccomp } from '../render-seccomp.ts';
import { makeCgroups, removeCgroupsWhenEmpty } from './cgroups.ts';
import { blockedRoutes, connectNetwork } from './network.ts';
import { connectThenRun } from './network-script.ts';

/**
 * Merges its output into one stream; no core dump may hold a secret. The first argument counts the control
 * groups that follow, which it joins.
 */
const limitedFirst = `ulimit -c 0; left=$1; shift
while [ "$left" -gt 0 ]; do echo $$ > "$1/cgroup.procs" || exit 1; shift; left=$((left - 1)); done; exec "$@"`;
/** Without control groups: limits per process, and a lower CPU priority than the platform's own. */
const niceness = ['nice', '-n', '10'];
const eachProcess = ({ memoryBytes }: ContainerLimits) => `ulimit -d ${Math.ceil(memoryBytes / 1024)}; `;
/** Counted per user, so only set inside a sandbox, with its own user; shells differ in the option's name. */
const allProcesses = ({ processes }: ContainerLimits) =>
  `ulimit -p ${processes} 2>/dev/null || ulimit -u ${processes}; `;
/**
 * Signals readiness, and continues when signalled; exits at the end of the pipe, when the host died.
 * Bubblewrap alone does not ensure that while it sets up the sandbox.
 */
const waitForHost = 'echo >&5; read go <&5 || exit 1';
/** The first program in a sandbox, which becomes the container's. */
const startedFirst = (limits: string) => `${waitForHost}; exec 5<&-; ${limits}exec "$@"`;
/** In a new network namespace: connects it, blocks the private ranges and execs bubblewrap. */
const connectedFirst = connectThenRun;

const setUpLimitMs = 10_000;

export interface StartedContainer {
  process: ChildProcess;
  /**
   * The program's process id, as this machine sees it: `process` may be bubblewrap.
   * Null while it does not run.
   */
  findProgram(): number | null;
  /** Stops its network along with it. */
  stopNetwork(): void;
}

/**
 * The sandbox's rp_filter for packets from unrouted sources: 1 drops them, 0 accepts
 * them, 2 requires any route.
 */
export type ReversePathFilter = 0 | 1 | 2;

/**
 * With `pipe`, stdout and stderr are one stream of the process, its `stdout`. Everything is set up at
 * once; the program runs when `mayRun` resolves. Blocked ranges stay blocked with every
 * `reversePathFilter`; the startup checks try others. Throws when the program cannot be started, its
 * network cannot be connected, or it may not run.
 */
export async function startContainer(
  launch: ContainerLaunch,
  output: 'pipe' | 'ignore',
  { reversePathFilter = 1, mayRun = Promise.resolve() }: Partial<StartConditions> = {},
): Promise<StartedContainer> {
  // Unique to this start: those of an earlier one may still be being removed.
  const cgroups = launch.cgroups.map((each) => `${each}.${randomUUID()}`);
  makeCgroups(cgroups, launch.limits);
  // Those of the containers that start with this one are made first: to join one holds the kernel's lock
  // on all for milliseconds.
  await Promise.resolve();
  const removeLater = () => void removeCgroupsWhenEmpty(cgroups);
  try {
    const started = await start({ ...launch, cgroups }, { output, reversePathFilter, mayRun });
    whenEnded(started.process, removeLater);
    return started;
  } catch (error) {
    removeLater();
    throw error;
  }
}

interface StartConditions {
  reversePathFilter: ReversePathFilter;
  mayRun: Promise<void>;
}

interface StartOptions extends StartConditions {
  output: 'pipe' | 'ignore';
}

async function start(launch: ContainerLaunch, options: StartOptions): Promise<StartedContainer> {
  const { output, mayRun } = options;
  if (launch.sandbox === null) {
    await mayRun;
    const [program, ...args] = limited(launch, launch.argv);
    const child = spawn(program, args, {
      env: launch.env,
      cwd: launch.cwd,
      stdio: ['ignore', output, 'ignore'],
      // A process group of its own, so that all of it can be ended.
      detached: true,
    });
    return { process: child, findProgram: () => child.pid ?? null, stopNetwork: () => undefined };
  }
  return startSandboxed(launch, launch.sandbox, options);
}

/** Runs a command and its child processes inside its control groups. */
function limited({ cgroups, limits }: ContainerLaunch, command: readonly string[]): [string, ...string[]] {
  const script = `exec 2>&1; ${cgroups.length > 0 ? '' : eachProcess(limits)}${limitedFirst}`;
  const gentle = cgroups.length > 0 || limits.cpuShare === 'whole' ? [] : niceness;
  return ['/bin/sh', '-c', script, 'sh', String(cgroups.length), ...cgroups, ...gentle, ...command];
}

async function startSandboxed(
  launch: ContainerLaunch,
  sandbox: readonly string[],
  { output, reversePathFilter, mayRun }: StartOptions,
): Promise<StartedContainer> {
  const { argv, env, cwd, network, cgroups, limits } = launch;
  const filter = renderSeccomp(process.arch);
  if (filter === null) {
    throw new Error(`there is no system call filter for ${process.arch}`);
  }
  const bubblewrap = ['bwrap', '--args', '3', '--seccomp', '4', '--'];
  const first = startedFirst(cgroups.length > 0 ? '' : allProcesses(limits));
  const command = [...bubblewrap, '/bin/sh', '-c', first, 'sh', ...argv];
  const ownNetwork = ['unshare', '--user', '--map-root-user', '--net', 'sh', '-c', connectedFirst, 'sh'];
  const [program, ...args] = limited(launch, network === 'none' ? command : [...ownNetwork, ...command]);
  const child = spawn(program, args, {
    // A container can read its first process's environment; HOME identifies the
    // session (see `findLeftovers`).
    env: { PATH: hostPath, HOME: cwd, ...(network === 'none' ? {} : networkSettings(reversePathFilter)) },
    stdio: ['ignore', output, 'ignore', 'pipe', 'pipe', 'pipe'],
  });
  pipe(child, 3).end(nulTerminated([...sandbox, ...renderEnvironment(env)]));
  pipe(child, 4).end(filter);
  const gate = pipe(child, 5);
  let stopNetwork = (): void => undefined;
  try {
    if (network === 'internet') {
      stopNetwork = (await connectNetwork(Number(await says(child, gate)))).stop;
      gate.write('go\n');
    }
    await says(child, gate);
    await mayRun;
  } catch (error) {
    child.kill('SIGKILL');
    stopNetwork();
    throw error;
  }
  whenEnded(child, stopNetwork);
  gate.end('go\n');
  const findProgram = () => (child.pid === undefined ? null : sandboxedProcess(child.pid, sandbox));
  return { process: child, findProgram, stopNetwork };
}

/** Also for a process that ended while it waited. */
function whenEnded(child: ChildProcess, act: () => void): void {
  if (child.exitCode !== null || child.signalCode !== null) {
    act();
  } else {
    child.once('exit', act);
  }
}

const networkSettings = (reversePathFilter: ReversePathFilter) => ({
  BLOCKED: blockedRoutes().join(' '),
  RP_FILTER: String(reversePathFilter),
});

/** PATH for the sandbox's own tools. */
const hostPath = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

function pipe(child: ChildProcess, fd: number): Duplex {
  const stream = child.stdio[fd] as Duplex;
  // A program that ended before it read everything shows it by its exit.
  stream.on('error', () => undefined);
  return stream;
}

/**
 * Arguments that set the environment; they reach bubblewrap through a pipe, since a command
 * line can be read by others.
 */
export function renderEnvironment(env: Readonly<Record<string, string>>): string[] {
  return Object.entries(env).flatMap(([name, value]) => ['--setenv', name, value]);
}

const nulTerminated = (values: readonly string[]) => values.map((value) => `${value}\0`).join('');

/**
 * Waits until the child signals that it is waiting, and releases it. Throws when it
 * ends instead, or on timeout.
 */
async function says(child: ChildProcess, gate: Duplex): Promise<string> {
  const given = new AbortController();
  return withinLimit(setUpLimitMs, given.signal, async (signal) => {
    try {
      const ended = once(child, 'exit', { signal }).then(() => {
        throw new Error('the sandbox was not made');
      });
      const [line] = await Promise.race([once(gate, 'data', { signal }), ended]);
      return String(line).trim();
    } finally {
      // Takes off the other listener.
      given.abort();
    }
  });
}

/**
 * The process id of a sandbox's program, as this machine sees it. Bubblewrap starts the first process of the
 * sandbox, which is the program or starts it. Null while the program does not run.
 */
function sandboxedProcess(bubblewrap: number, sandbox: readonly string[]): number | null {
  const first = firstChild(bubblewrap);
  return first === null || sandbox.includes('--as-pid-1') ? first : firstChild(first);
}

function firstChild(pid: number): number | null {
  try {
    const [child = ''] = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ');
    return child === '' ? null : Number(child);
  } catch {
    return null;
  }
}
