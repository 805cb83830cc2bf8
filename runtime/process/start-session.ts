/** Starts one session's host and waits until everything of it was started. */
import { existsSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { bothOf } from '../../lib/timing/both-of.ts';
import { nextLookMs } from '../../lib/timing/next-look.ts';
import type { LaunchSecrets, TakeLeftCalls } from '../workload.ts';
import type { WorkloadPlan } from '../workload-plan/workload-plan.ts';
import { bareLayout, sandboxLayout, sessionFiles } from './layout.ts';
import type { SessionPackages } from './packages/session-packages.ts';
import { isRunning } from './process-identity.ts';
import { type Machine, renderAgentConfig, renderLaunch } from './render-launch.ts';
import type { AgentRepository } from './repositories/agent-repository.ts';
import { makeSessionDirectory, nodeRelay } from './session-directory.ts';
import { readHost, readState } from './session-record.ts';
import { spawnHost } from './spawn-host.ts';
import { askToStop, stopSession } from './stop-session.ts';
import type { WarmHosts } from './warm-hosts.ts';
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
