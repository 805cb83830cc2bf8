/** The process runtime: sessions as processes of this machine, in bubblewrap sandboxes where available. */

import { createHash } from 'node:crypto';
import {
  closeSync,
  existsSync,
  fstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readSync,
  realpathSync,
} from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import type { Logger } from 'pino';
import { acpPreset } from '../../contract/acp-preset.ts';
import type { AuditSync } from '../../contract/audit-spool.ts';
import type { WorkerCapabilities } from '../../contract/available-runs.ts';
import type { ModelEndpoints } from '../../contract/model-endpoint.ts';
import type { PrivateHosts } from '../bridge-config.ts';
import { createRuntime } from '../create-runtime.ts';
import { type SidecarLimitSettings, sidecarLimits } from '../render-boot.ts';
import type { PackageSources } from '../variables.ts';
import type { Runtime, TakeLeftCalls, TakePatch } from '../workload.ts';
import type { WorkloadPlan } from '../workload-plan/workload-plan.ts';
import { findCgroups, removeLeftCgroups } from './host/cgroups.ts';
import { acpPackagesOf, type Programs, sessionFiles } from './layout.ts';
import { limitsSentence } from './limits-sentence.ts';
import { openSessionPackages, type PackageCacheSettings } from './packages/open-session-packages.ts';
import { findStaticRelay, internetIsSafe, readSystemRoot, sandboxWorks } from './probe-machine.ts';
import { type Machine, type ProcessLimits, type RenderRules, renderWorkload } from './render-launch.ts';
import { openRepositories } from './repositories/open-repositories.ts';
import { inspectSession, listSessions, sessionDirectory } from './session-record.ts';
import { openWarmHosts, startSession } from './start-session.ts';
import { stopSession } from './stop-session.ts';
import { watchSessions } from './watch-sessions.ts';

export interface ProcessRuntimeDependencies {
  sessionsDirectory: string;
  /** `dist/`. */
  programsDirectory: string;
  runnerDirectory: string;
  /** Where what the agent `claude` loads may be installed; null: nowhere. */
  claudeDirectory: string | null;
  nodeBinary: string;
  sandbox: 'auto' | 'require' | 'off';
  allowUnsandboxed: boolean;
  production: boolean;
  /** How sidecars reach the API. */
  apiUrl: string;
  auditSync: AuditSync;
  limits: SidecarLimitSettings;
  containers: ProcessLimits;
  packages: PackageSources;
  /** Null: package managers of servers run unmanaged, at each start. */
  packageCache: PackageCacheSettings | null;
  /** How many hosts are started before a session needs them. */
  warmHosts: number;
  /** Of remote MCP servers. */
  privateMcpHosts: PrivateHosts;
  /** Of the endpoint of language models. */
  modelEndpoints: ModelEndpoints;
  /** Hosts of repositories that may have a private address. */
  privateRepositoryHosts: PrivateHosts;
  takeLeftCalls: TakeLeftCalls;
  takePatch: TakePatch;
  logger: Logger;
}

/** The runtime with the machine's probed capabilities. */
export type ProbedRuntime = Runtime<WorkloadPlan> & { capabilities: WorkerCapabilities };

/** Probes the machine. Throws when a sandbox is required and there is none. */
export async function createProcessRuntime(dependencies: ProcessRuntimeDependencies): Promise<ProbedRuntime> {
  const sessionsDirectory = resolve(dependencies.sessionsDirectory);
  mkdirSync(sessionsDirectory, { recursive: true, mode: 0o700 });
  const machine = await probe(dependencies);
  const repositories = openRepositories(dependencies, machine);
  const rules = { ...renderRules(dependencies, machine), repositories: repositories.areThere };
  const { takeLeftCalls } = dependencies;
  const directoryOf = (sessionId: string) => sessionDirectory(sessionsDirectory, sessionId);
  const stop = async (sessionId: string, signal?: AbortSignal) => {
    await repositories.withoutPatchSoFar(sessionId, () =>
      stopSession(directoryOf(sessionId), takeLeftCalls, (directory) =>
        repositories.handOverPatch(sessionId, directory, signal),
      ),
    );
    removeCgroupsOf(machine, (name) => !name.startsWith(`${sessionId}.`));
  };
  const running = new Set(listSessions(sessionsDirectory));
  removeCgroupsOf(machine, (name) => running.has(name.split('.')[0] ?? ''));
  const packages = await openSessionPackages(dependencies, machine);
  const warmHosts = openWarmHosts({ programs: machine.programs, sessionsDirectory }, dependencies.warmHosts);
  const runtime = createRuntime<WorkloadPlan>({
    name: 'process',
    render: (configuration) => renderWorkload(configuration, rules),
    start: (spec, secrets, signal, onDelay) =>
      startSession(spec, secrets, {
        ...{ machine, warmHosts, takeLeftCalls, signal },
        directory: directoryOf(spec.sessionId),
        packagesFor: (plan, ended) => packages.prepare(plan, { signal: ended, onDelay }),
        repositoryFor: (plan, { repositoryCredential: credential = null }, ended) =>
          repositories.fetch(plan, {
            ...{ credential, signal: ended, onDelay },
            directory: directoryOf(spec.sessionId),
          }),
      }),
    stop,
    makePatch: (sessionId, signal) => repositories.makePatchSoFar(sessionId, directoryOf(sessionId), signal),
    inspect: async (sessionId) => inspectSession(directoryOf(sessionId)),
    watch: (onChange) => watchSessions(sessionsDirectory, onChange, dependencies.logger),
    sidecarHost: async () => '127.0.0.1',
    list: async () => listSessions(sessionsDirectory),
    logs: async (sessionId, container, tailBytes) =>
      readTail(sessionFiles(directoryOf(sessionId)).log(container), tailBytes),
  });
  return { ...runtime, capabilities: capabilitiesOf(machine, rules, packages.missingCommands) };
}

async function probe({
  sandbox,
  production,
  apiUrl,
  limits,
  containers,
  logger,
  ...dependencies
}: ProcessRuntimeDependencies): Promise<Machine> {
  const programs: Programs = {
    nodePrefix: dirname(dirname(realpathSync(dependencies.nodeBinary))),
    directory: resolve(dependencies.programsDirectory),
    relay: findStaticRelay(resolve(dependencies.programsDirectory)),
    runner: resolve(dependencies.runnerDirectory),
    claude: findClaude(dependencies.claudeDirectory),
  };
  const root = readSystemRoot();
  const cgroups = findCgroups();
  const owner = ownerOf(resolve(dependencies.sessionsDirectory));
  const setting = { programs, root, limits: containers, cgroups, owner };
  const sandboxed = sandbox !== 'off' && (await sandboxWorks(setting));
  if (!sandboxed && (sandbox === 'require' || production)) {
    throw new Error(
      'SANDBOX: sessions need bubblewrap here, and it does not work on this machine. Install bubblewrap.',
    );
  }
  const internet = sandboxed && (await internetIsSafe(setting));
  if (!sandboxed) {
    logger.warn(
      'NO SANDBOX: agents and MCP servers run as processes of this user and can read and reach what it can',
    );
  } else if (!internet) {
    logger.warn(
      'no internet for sessions: slirp4netns, ip or veth is missing here, or they do not keep sessions from this machine',
    );
  }
  logger.info({ limits: containers }, limitsSentence(cgroups));
  return {
    ...setting,
    root: sandboxed ? root : null,
    packages: dependencies.packages,
    internet,
    apiUrl,
    auditSync: dependencies.auditSync,
    sidecarLimits: sidecarLimits(limits),
  };
}

/** Null where its package is not installed. */
function findClaude(directory: string | null): string | null {
  const isThere =
    directory !== null &&
    existsSync(join(directory, 'node_modules/@anthropic-ai/claude-agent-sdk/package.json'));
  return isThere ? realpathSync(directory) : null;
}

/** Two installations on one machine leave each other's control groups alone. */
const ownerOf = (sessionsDirectory: string) =>
  createHash('sha256').update(sessionsDirectory).digest('hex').slice(0, 12);

function removeCgroupsOf({ cgroups, owner }: Machine, isKept: (name: string) => boolean): void {
  if (cgroups !== null) {
    removeLeftCgroups(cgroups, owner, isKept);
  }
}

function renderRules(
  { allowUnsandboxed, privateMcpHosts: privateHosts, modelEndpoints }: ProcessRuntimeDependencies,
  { root, programs, internet: hasSafeWay }: Machine,
): RenderRules {
  // Without a sandbox no network is blocked.
  const rules = {
    ...{ sandbox: root !== null, internet: hasSafeWay || root === null, privateHosts },
    modelEndpoints,
    claude: programs.claude !== null,
    acpPresets: acpPreset.options.filter((name) =>
      // npm writes its own list last.
      existsSync(join(acpPackagesOf(programs), name, 'node_modules/.package-lock.json')),
    ),
  };
  if (root !== null || allowUnsandboxed) {
    return { ...rules, seededCommands: null };
  }
  const commands = join(programs.runner, 'node_modules/.bin');
  return { ...rules, seededCommands: new Set(existsSync(commands) ? readdirSync(commands) : []) };
}

const capabilitiesOf = (
  { cgroups }: Machine,
  { seededCommands, sandbox, internet, claude, acpPresets = [], repositories = false }: RenderRules,
  missingCommands: string[],
): WorkerCapabilities => ({
  runtime: 'process',
  sandbox,
  internet,
  commands: seededCommands === null ? null : [...seededCommands].sort(),
  missing_commands: missingCommands,
  limits: sandbox ? [limitsSentence(cgroups)] : [],
  claude,
  acp_presets: [...acpPresets],
  repositories,
});

function readTail(file: string, tailBytes: number): string {
  if (!existsSync(file)) {
    return '';
  }
  const fd = openSync(file, 'r');
  try {
    const { size } = fstatSync(fd);
    const tail = Buffer.alloc(Math.min(size, tailBytes));
    readSync(fd, tail, 0, tail.length, size - tail.length);
    return tail.toString('utf8');
  } finally {
    closeSync(fd);
  }
}
