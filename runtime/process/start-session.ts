/** Starts one session's host and waits until everything of it was started. */
import { spawn } from 'node:child_process';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { LaunchSecrets, TakeLeftCalls } from '../workload.ts';
import { bareLayout, sandboxLayout, sessionFiles } from './layout.ts';
import type { SessionPackages } from './packages/session-packages.ts';
import { identify, isRunning } from './process-identity.ts';
import { type Machine, renderAgentConfig, renderLaunch } from './render-launch.ts';
import { makeSessionDirectory, nodeRelay } from './session-directory.ts';
import { readHost, readState } from './session-record.ts';
import { askToStop, stopSession } from './stop-session.ts';
import type { ProcessWorkloadSpec } from './workload-spec.ts';
import { writeRecord } from './write-record.ts';

const startTimeoutMs = 25_000;
const pollIntervalMs = 20;

export interface StartOptions {
  machine: Machine;
  directory: string;
  takeLeftCalls: TakeLeftCalls;
  signal: AbortSignal;
  /** Called when the session's directory exists; the returned packages are kept as long as it does. */
  packagesFor(spec: ProcessWorkloadSpec): Promise<SessionPackages>;
}

/** A no-op for a session whose host runs. When it does not start, or `signal` is aborted, stops what was started, then throws. */
export async function startSession(
  spec: ProcessWorkloadSpec,
  secrets: LaunchSecrets,
  { machine, directory, takeLeftCalls, signal, packagesFor }: StartOptions,
): Promise<void> {
  const host = readHost(directory);
  const isStarted = host !== null && isRunning(host);
  if (!isStarted) {
    await stopSession(directory, takeLeftCalls);
  }
  // The start then sees its host end.
  const giveUp = () => askToStop(directory);
  signal.addEventListener('abort', giveUp);
  try {
    if (!isStarted) {
      prepare(spec, { machine, directory });
      const packages = await packagesFor(spec);
      signal.throwIfAborted();
      spawnHost(spec, secrets, { machine, directory, packages });
    }
    await untilStarted(directory);
  } catch (error) {
    await stopSession(directory, takeLeftCalls);
    throw error;
  } finally {
    signal.removeEventListener('abort', giveUp);
  }
}

function prepare(
  spec: ProcessWorkloadSpec,
  { machine, directory }: { machine: Machine; directory: string },
): void {
  const { programs, root } = machine;
  const layout = root === null ? bareLayout(programs, directory, 'agent', null) : sandboxLayout(programs);
  makeSessionDirectory(directory, {
    config: renderAgentConfig(spec, { machine, directory }),
    containers: spec.containers,
    relay: nodeRelay(programs, layout, root !== null),
  });
}

/**
 * Detached: it outlives the worker. The launch goes through a pipe, since it holds secrets; no core dump of the host or
 * of what it starts may hold them either. The record is written first: a host without one never gets its launch, and exits.
 */
function spawnHost(
  spec: ProcessWorkloadSpec,
  secrets: LaunchSecrets,
  { machine, directory, packages }: { machine: Machine; directory: string; packages: SessionPackages },
): void {
  const files = sessionFiles(directory);
  const launch = JSON.stringify(renderLaunch(spec, secrets, { machine, directory, packages }));
  const log = openSync(files.log('host'), 'a', 0o600);
  const node = `${machine.programs.nodePrefix}/bin/node`;
  const program = `${machine.programs.directory}/session-host.js`;
  const child = spawn('/bin/sh', ['-c', 'ulimit -c 0; exec "$@"', 'sh', node, program, spec.sessionId], {
    cwd: directory,
    detached: true,
    env: { PATH: '/usr/local/bin:/usr/bin:/bin' },
    stdio: ['pipe', log, log],
  });
  closeSync(log);
  child.on('error', () => undefined);
  child.stdin?.on('error', () => undefined);
  const identity = identify(child.pid);
  if (identity === null) {
    throw new Error('the session host did not start');
  }
  try {
    writeRecord(files.host, identity);
  } catch (error) {
    child.kill('SIGKILL');
    throw error;
  }
  child.stdin?.end(launch);
  child.unref();
}

async function untilStarted(directory: string): Promise<void> {
  const deadline = Date.now() + startTimeoutMs;
  while (readState(directory)?.started !== true) {
    const host = readHost(directory);
    if (host === null || !isRunning(host)) {
      throw new Error(
        `the session host ended: ${readFileSync(sessionFiles(directory).log('host'), 'utf8').slice(-500)}`,
      );
    }
    if (Date.now() > deadline) {
      throw new Error('the session did not start in time');
    }
    await sleep(pollIntervalMs);
  }
}
