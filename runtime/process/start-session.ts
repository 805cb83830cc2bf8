/** Starts one session's host and waits until everything of it was started. */
import { spawn } from 'node:child_process';
import { closeSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { LaunchSecrets } from '../workload.ts';
import { bareLayout, sandboxLayout, sessionFiles } from './layout.ts';
import { identify, isRunning } from './process-identity.ts';
import { type Machine, renderAgentConfig, renderLaunch } from './render-launch.ts';
import { makeSessionDirectory, relayProgram } from './session-directory.ts';
import { readHost, readState } from './session-record.ts';
import { stopSession } from './stop-session.ts';
import type { ProcessWorkloadSpec } from './workload-spec.ts';

const startTimeoutMs = 25_000;
const pollIntervalMs = 20;

/** Does nothing for a session whose host runs. Throws when it does not start, after what was started is gone again. */
export async function startSession(
  spec: ProcessWorkloadSpec,
  secrets: LaunchSecrets,
  { machine, directory }: { machine: Machine; directory: string },
): Promise<void> {
  const host = readHost(directory);
  if (host === null || !isRunning(host)) {
    await stopSession(directory);
    prepare(spec, { machine, directory });
    spawnHost(spec, secrets, { machine, directory });
  }
  try {
    await untilStarted(directory);
  } catch (error) {
    await stopSession(directory);
    throw error;
  }
}

function prepare(
  spec: ProcessWorkloadSpec,
  { machine, directory }: { machine: Machine; directory: string },
): void {
  const { programs, root } = machine;
  const bare = root === null ? { programsDirectory: programs.directory } : null;
  const layout = bare === null ? sandboxLayout(programs) : bareLayout(programs, directory, 'agent', null);
  makeSessionDirectory(directory, {
    config: renderAgentConfig(spec, { machine, directory }),
    containers: spec.containers,
    relay: relayProgram(layout, bare),
  });
}

/** Detached: it outlives the worker. The launch goes through a pipe, since it holds secrets. */
function spawnHost(
  spec: ProcessWorkloadSpec,
  secrets: LaunchSecrets,
  { machine, directory }: { machine: Machine; directory: string },
): void {
  const files = sessionFiles(directory);
  const launch = JSON.stringify(renderLaunch(spec, secrets, { machine, directory }));
  const log = openSync(files.log('host'), 'a', 0o600);
  const node = `${machine.programs.nodePrefix}/bin/node`;
  const child = spawn(node, [`${machine.programs.directory}/session-host.js`, spec.sessionId], {
    cwd: directory,
    detached: true,
    env: { PATH: '/usr/local/bin:/usr/bin:/bin' },
    stdio: ['pipe', log, log],
  });
  closeSync(log);
  child.on('error', () => undefined);
  child.stdin?.on('error', () => undefined);
  const identity = child.pid === undefined ? null : identify(child.pid);
  if (identity === null) {
    throw new Error('the session host did not start');
  }
  writeFileSync(files.host, JSON.stringify(identity), { mode: 0o600 });
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
