/**
 * What this machine offers: a working sandbox, and a way to the internet that leads nowhere
 * else. Tried, not assumed.
 */

import { spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, lstatSync, mkdtempSync, readlinkSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sessionDirectories } from '../../contract/session-paths.ts';
import { containerPaths } from '../workload-plan/workload-plan.ts';
import { cgroupsOf } from './host/cgroups.ts';
import { type ReversePathFilter, startContainer } from './host/start-container.ts';
import { sandboxLayout, sessionFiles } from './layout.ts';
import { openCanary } from './network-canary.ts';
import type { ContainerLaunch, Machine } from './render-launch.ts';
import { renderSandbox, type SandboxedContainer, type SystemRoot } from './render-sandbox.ts';
import { makeSessionDirectory, nodeRelay } from './session-directory.ts';

const trialTimeoutMs = 10_000;
const topLevel = ['/bin', '/sbin', '/lib', '/lib32', '/lib64', '/libx32'];
const configurationBelowUsr = ['/usr/etc', '/usr/local/etc'];
/** World-readable files of /proc that container engines hide. */
const aboutTheMachine = [
  'keys',
  'key-users',
  'timer_list',
  'sched_debug',
  'latency_stats',
  'kcore',
  'kmsg',
].map((file) => `/proc/${file}`);

export function readSystemRoot(): SystemRoot {
  const present = topLevel.filter((path) => existsSync(path));
  const isLink = (path: string) => lstatSync(path).isSymbolicLink();
  return {
    links: Object.fromEntries(present.filter(isLink).map((path) => [path, readlinkSync(path)])),
    directories: present.filter((path) => !isLink(path)),
    hidden: configurationBelowUsr.filter((path) => existsSync(path) && !isLink(path)),
    hiddenFiles: aboutTheMachine.filter((path) => existsSync(path)),
  };
}

/** True when a sandbox with everything that containers get really starts here. */
export function sandboxWorks(setting: TrialSetting): Promise<boolean> {
  return trial(setting, { network: 'none', script: 'process.exit(0)' });
}

/**
 * True when a connected sandbox starts and reaches neither this machine nor its neighbours, by address,
 * multicast or broadcast, has no route to private networks or a metadata service, and nothing but DNS from
 * the resolver; with every reverse path filter setting. False denies every container the internet.
 */
export async function internetIsSafe(setting: TrialSetting): Promise<boolean> {
  const canary = await openCanary();
  const settings = { network: 'internet', script: canary.script } as const;
  try {
    const safe = await Promise.all(
      ([0, 1, 2] as const).map((reversePathFilter) => trial(setting, { ...settings, reversePathFilter })),
    );
    return !safe.includes(false) && !canary.heard();
  } finally {
    canary.close();
  }
}

/** The same as containers of sessions get. */
export interface TrialSetting extends Pick<Machine, 'programs' | 'limits' | 'cgroups' | 'owner'> {
  root: SystemRoot;
}

interface Trial {
  network: SandboxedContainer['network'];
  /** For Node. */
  script: string;
  reversePathFilter?: ReversePathFilter;
}

async function trial(
  { programs, root, limits, cgroups, owner }: TrialSetting,
  { network, script, ...options }: Trial,
): Promise<boolean> {
  const directory = mkdtempSync(join(tmpdir(), 'platform-trial-'));
  const container: SandboxedContainer = {
    name: 'agent',
    role: 'agent',
    program: { type: 'scripted' },
    network,
    uid: 2000,
    view: { directory: sessionDirectories.agent, path: containerPaths.platform },
  };
  const layout = sandboxLayout(programs);
  try {
    const config = {
      session_id: '',
      agent: { id: '', name: '', kind: 'worker', instructions: '', model: null },
      prompt: '',
      mcpServers: {},
    } as const;
    makeSessionDirectory(directory, {
      config: { ...config },
      containers: [container],
      relay: nodeRelay(programs, layout, true),
    });
    const launch: ContainerLaunch = {
      name: 'agent',
      argv: [layout.node, '-e', script],
      env: { PATH: layout.path },
      cwd: sessionFiles(directory).workspace('agent'),
      sandbox: renderSandbox(container, { directory, programs, root, workspaceBytes: limits.workspaceBytes }),
      network,
      limits: limits.agent,
      cgroups: cgroups === null ? [] : cgroupsOf(cgroups, owner, `trial.${randomUUID()}`),
    };
    return await exitsWithZero(launch, options);
  } catch {
    return false;
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

async function exitsWithZero(
  launch: ContainerLaunch,
  options: Pick<Trial, 'reversePathFilter'>,
): Promise<boolean> {
  const { process: child, stopNetwork } = await startContainer(launch, 'ignore', options);
  const timer = setTimeout(() => child.kill('SIGKILL'), trialTimeoutMs);
  try {
    const [exitCode] = await once(child, 'exit');
    return exitCode === 0;
  } finally {
    clearTimeout(timer);
    stopNetwork();
  }
}

const limitMs = 10_000;

/**
 * The path of the static relay among the built programs; null where it was not built, or this
 * machine's kernel does not run it.
 */
export function findStaticRelay(programsDirectory: string): string | null {
  const relay = join(programsDirectory, 'relay');
  // It runs nothing that it cannot narrow.
  const { status } = spawnSync(relay, ['run', '--', '/bin/sh', '-c', ':'], {
    env: {},
    stdio: 'ignore',
    timeout: limitMs,
  });
  return status === 0 ? relay : null;
}
