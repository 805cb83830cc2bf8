/**
 * The same programs as plain processes: no sandbox, no host, no workflow, no database. What
 * a launch costs at least.
 */

import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { bareLayout } from '../../runtime/process/layout.ts';
import { findStaticRelay } from '../../runtime/process/probe-machine.ts';
import {
  type HostLaunch,
  type Machine,
  renderAgentConfig,
  renderLaunch,
  renderWorkload,
} from '../../runtime/process/render-launch.ts';
import { makeSessionDirectory, nodeRelay } from '../../runtime/process/session-directory.ts';
import { sidecarCommand, sidecarEnvironment } from '../../runtime/sidecar-program.ts';
import { type Reports, takeReports } from '../../test/integration/runtime/reports.ts';
import { configuration, serverNamed } from '../../test/support/frozen-configuration.ts';
import { testEndpoints } from '../../test/support/model-endpoints.ts';
import { processLimits, publicPackages } from '../../test/support/process-limits.ts';
import { roomySidecarLimits } from '../../test/support/sidecar-limits.ts';
import { until } from '../shared/until.ts';
import type { Launched, LaunchTarget } from './launch-target.ts';

const limitMs = 180_000;

/** The sidecar's reports are answered at once. */
export async function openBare(): Promise<LaunchTarget> {
  const reports = await takeReports();
  const machine: Machine = {
    programs: {
      nodePrefix: resolve(process.execPath, '../..'),
      directory: resolve('dist'),
      relay: findStaticRelay(resolve('dist')),
      runner: resolve('deploy/runner'),
      claude: null,
    },
    root: null,
    internet: false,
    limits: processLimits,
    packages: publicPackages,
    cgroups: null,
    owner: 'bench',
    apiUrl: reports.url,
    auditSync: 'within-100-ms',
    sidecarLimits: roomySidecarLimits,
  };
  return { prepare: (everyMs) => prepareBare(machine, reports, everyMs), close: () => reports.close() };
}

function prepareBare(machine: Machine, reports: Reports, everyMs: number): () => Promise<Launched> {
  const directory = mkdtempSync(join(tmpdir(), 'bare-'));
  const { sessionId, launch } = render(machine, directory);
  const isReady = () => reports.of(sessionId, 'ready').length > 0;
  return () => startBare({ directory, launch, isReady }, { everyMs, limitMs });
}

interface Bare {
  directory: string;
  launch: HostLaunch;
  isReady: () => boolean;
}

async function startBare(
  { directory, launch, isReady }: Bare,
  inTime: { everyMs: number; limitMs: number },
): Promise<Launched> {
  const command = sidecarCommand(process.execPath, resolve('dist'));
  const sidecar = start(command, { cwd: directory, env: sidecarEnvironment });
  sidecar.stdin?.write(`${JSON.stringify(launch.boot)}\n`);
  await until(() => launch.sockets.every((socket) => existsSync(socket)), inTime);
  const containers = launch.containers.map(({ argv, cwd, env }) => start(argv, { cwd, env }));
  const runs = await until(isReady, inTime);
  return {
    ranAtMs: runs ? performance.now() : null,
    async end() {
      for (const child of [...containers, sidecar]) {
        await end(child);
      }
      rmSync(directory, { recursive: true });
    },
  };
}

/** What the process runtime would hand to a session's host. */
function render(machine: Machine, directory: string): { sessionId: string; launch: HostLaunch } {
  const sessionId = randomUUID();
  const shape = { type: 'command' as const, command: 'mcp-server-filesystem', args: ['/workspace'] };
  const frozen = configuration({
    session_id: sessionId,
    servers: [serverNamed('files', { shape })],
    agent: { instructions: JSON.stringify({ steps: [{ sleep_seconds: 600 }] }) },
  });
  const spec = renderWorkload(frozen, {
    sandbox: true,
    seededCommands: null,
    internet: true,
    claude: false,
    privateHosts: new Map(),
    modelEndpoints: testEndpoints(),
  });
  const layout = bareLayout(machine.programs, directory, 'agent', null);
  makeSessionDirectory(directory, {
    config: renderAgentConfig(spec, { machine, directory }),
    containers: spec.containers,
    relay: nodeRelay(machine.programs, layout, false),
  });
  const secrets = {
    agentEnv: {},
    serverEnv: {},
    siblingEnv: {},
    registryCredentials: {},
    sidecar: { internal_token: 'token', control_key: 'key' },
  };
  return { sessionId, launch: renderLaunch(spec, secrets, { machine, directory }) };
}

function start(
  [command = '', ...args]: readonly string[],
  options: { cwd: string; env: Readonly<Record<string, string>> },
): ChildProcess {
  return spawn(command, args, { ...options, stdio: ['pipe', 'ignore', 'ignore'] });
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode === null && child.signalCode === null) {
    const exited = once(child, 'exit');
    child.kill('SIGTERM');
    await exited;
  }
}
