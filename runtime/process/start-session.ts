/**
 * Starts one session's host and waits until everything of it was started. Hosts that wait for a session were
 * started before, each with its sidecar: a launch then does not wait for two starts of Node. They know
 * nothing of a session, and hold no secret.
 */

import { spawn } from 'node:child_process';
import { closeSync, existsSync, openSync, readFileSync, renameSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { bothOf } from '../../lib/timing/both-of.ts';
import { nextLookMs } from '../../lib/timing/next-look.ts';
import type { LaunchSecrets, TakeLeftCalls } from '../workload.ts';
import type { WorkloadPlan } from '../workload-plan/workload-plan.ts';
import { bareLayout, type Programs, sandboxLayout, sessionFiles } from './layout.ts';
import type { SessionPackages } from './packages/session-packages.ts';
import { identify, isRunning, type ProcessIdentity } from './process-identity.ts';
import { type HostLaunch, type Machine, renderAgentConfig, renderLaunch } from './render-launch.ts';
import type { AgentRepository } from './repositories/agent-repository.ts';
import { makeSessionDirectory, nodeRelay } from './session-directory.ts';
import { readHost, readState } from './session-record.ts';
import { askToStop, stopSession } from './stop-session.ts';
import {
  makeWarmDirectory,
  removeLeftWarmDirectories,
  removeWarmDirectory,
  warmDirectoryIn,
} from './warm-directory.ts';
import { writeRecord } from './write-record.ts';

const startTimeoutMs = 25_000;

export interface StartOptions {
  machine: Machine;
  directory: string;
  warmHosts: WarmHosts;
  takeLeftCalls: TakeLeftCalls;
  signal: AbortSignal;
  /** Called when the session's directory exists; the returned packages are kept as long as it does. */
  packagesFor(spec: WorkloadPlan, signal: AbortSignal): Promise<SessionPackages>;
  /** Called then, too. Null for a session without one. */
  repositoryFor(
    spec: WorkloadPlan,
    secrets: LaunchSecrets,
    signal: AbortSignal,
  ): Promise<AgentRepository | null>;
}

/**
 * A no-op for a session whose host runs. When it does not start, or `signal` is aborted, stops what
 * was started, then throws.
 */
export async function startSession(
  spec: WorkloadPlan,
  secrets: LaunchSecrets,
  { machine, directory, warmHosts, takeLeftCalls, signal, packagesFor, repositoryFor }: StartOptions,
): Promise<void> {
  const host = readHost(directory);
  const isStarted = host !== null && isRunning(host);
  // Its directory is the last of a session that goes, and looking for what is left reads all of /proc.
  if (!isStarted && existsSync(directory)) {
    await stopSession(directory, takeLeftCalls);
  }
  // The start then sees its host end.
  const giveUp = () => askToStop(directory);
  signal.addEventListener('abort', giveUp);
  try {
    if (!isStarted) {
      await startHost(spec, secrets, { machine, directory, warmHosts, signal, packagesFor, repositoryFor });
    }
    await untilStarted(directory);
  } catch (error) {
    await stopSession(directory, takeLeftCalls);
    throw error;
  } finally {
    signal.removeEventListener('abort', giveUp);
    if (!isStarted) {
      warmHosts.startEnded();
    }
  }
}

/** Takes a host that waits, or starts one, and gives it the launch. */
async function startHost(
  spec: WorkloadPlan,
  secrets: LaunchSecrets,
  { machine, directory, warmHosts, signal, ...needed }: Omit<StartOptions, 'takeLeftCalls'>,
): Promise<void> {
  let host = warmHosts.take(directory);
  try {
    prepare(spec, { machine, directory });
    host ??= spawnHost(machine.programs, directory);
    const [packages, repository] = await bothOf(
      signal,
      (ended) => needed.packagesFor(spec, ended),
      (ended) => needed.repositoryFor(spec, secrets, ended),
    );
    signal.throwIfAborted();
    // Before the launch: a host without a record never gets one, and ends with this process.
    writeRecord(sessionFiles(directory).host, host.identity);
    host.give(renderLaunch(spec, secrets, { machine, directory, packages, repository }));
  } catch (error) {
    host?.kill();
    throw error;
  }
}

function prepare(spec: WorkloadPlan, { machine, directory }: { machine: Machine; directory: string }): void {
  const { programs, root } = machine;
  const layout = root === null ? bareLayout(programs, directory, 'agent', null) : sandboxLayout(programs);
  makeSessionDirectory(directory, {
    config: renderAgentConfig(spec, { machine, directory }),
    containers: spec.containers,
    relay: nodeRelay(programs, layout, root !== null),
  });
}

async function untilStarted(directory: string): Promise<void> {
  const givenMs = performance.now();
  while (readState(directory)?.started !== true) {
    const host = readHost(directory);
    if (host === null || !isRunning(host)) {
      throw new Error(
        `the session host ended: ${readFileSync(sessionFiles(directory).log('host'), 'utf8').slice(-500)}`,
      );
    }
    const elapsedMs = performance.now() - givenMs;
    if (elapsedMs > startTimeoutMs) {
      throw new Error('the session did not start in time');
    }
    await sleep(nextLookMs(elapsedMs));
  }
}

/** How long no session has started before the next hosts are: they take the processor that a launch wants. */
const quietMs = 1000;

export interface WarmHosts {
  /** The host, whose directory is `directory` from now on; null when none waits. Throws nothing. */
  take(directory: string): WaitingHost | null;
  /** Reports the end of each start. */
  startEnded(): void;
}

interface WarmHost {
  host: WaitingHost;
  directory: string;
}

/** Keeps up to `size` of them, from a moment after it was made. They end with this process. */
export function openWarmHosts(
  { programs, sessionsDirectory }: { programs: Programs; sessionsDirectory: string },
  size: number,
): WarmHosts {
  removeLeftWarmDirectories(sessionsDirectory);
  let waiting: WarmHost[] = [];
  const fill = () => {
    waiting = waiting.filter(stillRuns);
    while (waiting.length < size) {
      const started = startWarmHost(programs, sessionsDirectory);
      if (started === null) {
        return;
      }
      waiting.push(started);
    }
  };
  const timer = setTimeout(fill, quietMs).unref();
  return {
    take(directory) {
      timer.refresh();
      const [first, ...others] = waiting.filter(stillRuns);
      waiting = others;
      return first !== undefined && move(first, directory) ? first.host : null;
    },
    startEnded() {
      timer.refresh();
    },
  };
}

/** Null when the machine does not start it now: a session is then told why by its own. */
function startWarmHost(programs: Programs, sessionsDirectory: string): WarmHost | null {
  const directory = warmDirectoryIn(sessionsDirectory);
  try {
    makeWarmDirectory(directory);
    return { host: spawnHost(programs, directory), directory };
  } catch {
    removeWarmDirectory(directory);
    return null;
  }
}

/** What has ended could not remove its directory by itself. */
function stillRuns({ host, directory }: WarmHost): boolean {
  const runs = isRunning(host.identity);
  if (!runs) {
    removeWarmDirectory(directory);
  }
  return runs;
}

/** False when the file system does not do it: the session then starts a host of its own. */
function move({ host, directory }: WarmHost, to: string): boolean {
  try {
    renameSync(directory, to);
    return true;
  } catch {
    host.kill();
    removeWarmDirectory(directory);
    return false;
  }
}

export interface WaitingHost {
  identity: ProcessIdentity;
  /** Once. Until then it ends with this process. */
  give(launch: HostLaunch): void;
  kill(): void;
}

/**
 * Detached: it outlives the worker. The launch goes through a pipe, since it holds secrets; no core
 * dump of the host or of what it starts may hold them either. `directory` has a place for logs.
 * Throws when it does not start.
 */
export function spawnHost({ nodePrefix, directory: programs }: Programs, directory: string): WaitingHost {
  const log = openSync(sessionFiles(directory).log('host'), 'a', 0o600);
  const argv = [`${nodePrefix}/bin/node`, `${programs}/session-host.js`];
  const child = spawn('/bin/sh', ['-c', 'ulimit -c 0; exec "$@"', 'sh', ...argv], {
    cwd: directory,
    detached: true,
    env: { PATH: '/usr/local/bin:/usr/bin:/bin' },
    stdio: ['pipe', log, log],
  });
  closeSync(log);
  child.on('error', () => undefined);
  child.stdin?.on('error', () => undefined);
  child.unref();
  const identity = identify(child.pid);
  if (identity === null) {
    throw new Error('the session host did not start');
  }
  return {
    identity,
    give: (launch) => child.stdin?.end(JSON.stringify(launch)),
    kill: () => child.kill('SIGKILL'),
  };
}
