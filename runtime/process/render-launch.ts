/**
 * Pure: the plan of a session's workload on this runtime, or a sentence about what it cannot run; then, with
 * its secrets, the launch: the commands that the session's host runs, which the driver writes to its standard
 * input. That is types alone: both are of one release and one machine, and the host of every session would
 * hold the schemas in memory.
 */

import { join } from 'node:path';
import type { AcpPreset } from '../../contract/acp-preset.ts';
import type { AgentConfig } from '../../contract/agent-contract.ts';
import { availabilityOf } from '../../contract/available-runs.ts';
import type { FrozenConfiguration } from '../../contract/session.ts';
import type { ProcessKind } from '../../contract/session-process.ts';
import type { SidecarBoot } from '../../contract/sidecar.ts';
import { type ModelSettings, modelCommand } from '../model-program.ts';
import { agentConfigOf, type BootSettings, keyedBoot, renderBoot, reportSocketIn } from '../render-boot.ts';
import {
  environmentOf,
  type PackageSources,
  type PlatformVariables,
  packageVariables,
  secretVariables,
} from '../variables.ts';
import { type LaunchSecrets, type Network, UnsupportedWorkloadError } from '../workload.ts';
import { notRendered, planWorkload } from '../workload-plan/plan-workload.ts';
import {
  hostSocketName,
  type PlannedContainer,
  type PlannedProgram,
  type WorkloadPlan,
} from '../workload-plan/workload-plan.ts';
import { type Cgroups, cgroupsOf } from './host/cgroups.ts';
import { bareLayout, type Layout, type Programs, sandboxLayout, sessionFiles } from './layout.ts';
import type { ServerPackages, SessionPackages } from './packages/session-packages.ts';
import { packagesInside } from './packages/tree-stream.ts';
import { caFileInside, readOnly, renderSandbox, type SystemRoot } from './render-sandbox.ts';
import { type AgentRepository, inRepository } from './repositories/agent-repository.ts';

export interface RenderRules extends ModelSettings {
  /** Whether containers are isolated from the machine and from each other. */
  sandbox: boolean;
  /** The server commands that may run without a sandbox. Null allows every command. */
  seededCommands: ReadonlySet<string> | null;
  /** Whether what the agent `claude` loads is installed. */
  claude: boolean;
  /** Which agents of others are; absent: none. */
  acpPresets?: readonly AcpPreset[];
  /** Whether repositories can be fetched; absent: no. */
  repositories?: boolean;
  /** Whether containers that request the internet get it. */
  internet: boolean;
}

const firstUid = 2000;

/** Throws UnsupportedWorkloadError. */
export function renderWorkload(configuration: FrozenConfiguration, rules: RenderRules): WorkloadPlan {
  const plan = planWorkload(configuration, {
    ...{ available: available(rules), networks: 'own', privateDestinations: 'forwarded', firstUid },
    ...rules,
  });
  if (plan.service !== null && !rules.sandbox) {
    throw new UnsupportedWorkloadError(
      'services need a sandbox, which gives each a network of its own to listen on; an operator has to install bubblewrap',
    );
  }
  for (const { name, role, program, privateOrigin } of plan.containers) {
    if (program.type === 'image') {
      throw notRendered(`the container "${name}"`);
    }
    if (role === 'model' && privateOrigin === null && !rules.internet) {
      throw new UnsupportedWorkloadError(
        `the agent's model access needs the internet, and the machine that runs sessions has no safe way to it; an operator has to install slirp4netns`,
      );
    }
  }
  return plan;
}

/** Package managers that are missing here are told when packages are loaded. */
const available = ({ seededCommands, sandbox, internet, claude, acpPresets = [], ...rules }: RenderRules) => {
  const commands = seededCommands === null ? null : [...seededCommands];
  return availabilityOf('process', [
    {
      ...{ runtime: 'process', sandbox, internet, commands, missing_commands: [], limits: [], claude },
      acp_presets: [...acpPresets],
      repositories: rules.repositories ?? false,
    },
  ]);
};

/** What each container of a session may use. */
export interface ProcessLimits {
  agent: ContainerLimits;
  server: ContainerLimits;
  /** `/workspace` of each, in memory. */
  workspaceBytes: number;
}

export interface Machine extends BootSettings {
  programs: Programs;
  /** Null: no sandbox. */
  root: SystemRoot | null;
  /** False: nothing gets the internet, and in a sandbox nothing that requires it is rendered. */
  internet: boolean;
  limits: ProcessLimits;
  /** Null: each process is limited individually. */
  cgroups: Cgroups | null;
  /** `caFile`: on this machine. */
  packages: PackageSources;
  /** The owner name of this installation's control groups. */
  owner: string;
}

interface LaunchPlace {
  machine: Machine;
  directory: string;
  /** Empty where nothing is cached: then package managers run unmanaged. */
  packages?: SessionPackages;
  /** What the session's start has fetched; absent without one. */
  repository?: AgentRepository | null;
}

export function renderLaunch(plan: WorkloadPlan, secrets: LaunchSecrets, place: LaunchPlace): HostLaunch {
  const { machine, directory } = place;
  const { start } = plan;
  const isAwaited = start.siblingSeconds > 0;
  const inDirectory = (path: string) => join(directory, path);
  return {
    directory,
    boot: keyedBoot(
      renderBoot({ ...plan, servers: plan.servers.map(withoutLoading(place)) }, machine, {
        session_directory: directory,
        agent_config: null,
        control_host: '127.0.0.1',
        control_port: 0,
      }),
      secrets,
    ),
    sockets: [...(isAwaited ? [] : [start.socket]), ...plan.sockets].map(inDirectory),
    agentSocket: isAwaited ? inDirectory(start.socket) : null,
    containers: plan.containers.map((planned) => renderContainer(planned, plan, secrets, place)),
  };
}

/** Once its packages are there a server is a program as any other: no registry makes it slow or fail. */
const withoutLoading =
  ({ packages }: LaunchPlace) =>
  (server: WorkloadPlan['servers'][number]) =>
    packages?.get(server.name)?.type === 'tree' ? { ...server, loads_packages: false } : server;

function renderContainer(
  asked: PlannedContainer,
  plan: WorkloadPlan,
  secrets: LaunchSecrets,
  { machine, directory, packages: ofSession = new Map(), repository = null }: LaunchPlace,
): HostedContainer {
  const { programs, root } = machine;
  const server = asked.role === 'server' ? asked.subject : null;
  const packages = server === null ? undefined : ofSession.get(server);
  const planned: PlannedContainer = { ...asked, network: machine.internet ? asked.network : 'none' };
  const { name, role, report, network, privateOrigin, view } = planned;
  const layout = root === null ? bareLayout(programs, directory, name, server) : sandboxLayout(programs);
  const platform: PlatformVariables = {
    sessionId: plan.sessionId,
    paths: layout,
    searchPath: searchPath(layout, packages),
    packages: packageVariables(network, asSeen(machine.packages)),
    service: plan.service,
    ...plan.agentVariables,
  };
  const relayed = relayCommand(planned, layout, machine);
  const secretNames = secretVariables(planned.env);
  const inTree =
    role === 'agent' && repository !== null ? inRepository(repository, { machine, layout }) : null;
  const command = packages?.argv ?? commandOf(planned.program, layout);
  return {
    name,
    argv: [...relayed, ...(inTree?.command(command) ?? command)],
    env: environmentOf({ ...planned, secretVariables: secretNames }, secrets, platform),
    cwd: sessionFiles(directory).workspace(name),
    sandbox:
      root === null
        ? null
        : renderSandbox(planned, {
            ...{ directory, programs, root, isRelayed: relayed.length > 0 },
            workspaceBytes: machine.limits.workspaceBytes,
            caFile: network === 'internet' ? machine.packages.caFile : null,
            packages: [
              ...(packages?.type === 'tree' ? readOnly(packages.tree, packagesInside) : []),
              ...(inTree?.mounts ?? []),
            ],
          }),
    network,
    limits: machine.limits[planned.size],
    cgroups:
      machine.cgroups === null ? [] : cgroupsOf(machine.cgroups, machine.owner, `${plan.sessionId}.${name}`),
    kind: report === null ? null : kindOf(role),
    secretVariables: secretNames,
    reportSocket: report === null ? null : reportSocketIn(report.directory),
    privateHost:
      privateOrigin === null
        ? null
        : { socket: `${view.directory}/${hostSocketName}`, origin: privateOrigin },
    ...(inTree === null ? {} : { changes: inTree.changes }),
  };
}

const kindOf = (role: PlannedContainer['role']): ProcessKind | null =>
  role === 'agent' || role === 'server' || role === 'sibling' ? role : null;

/** The relay before the program, up to it; empty when that starts without one. */
function relayCommand({ relay, view }: PlannedContainer, layout: Layout, machine: Machine): string[] {
  switch (relay.type) {
    case 'agent': {
      const ports = [...relay.siblings, ...relay.model];
      return ports.length === 0 ? [] : [layout.relay, 'run', ...ports, '--'];
    }
    case 'service':
      return [layout.relay, 'run', '--gateway', layout.serviceSocket, '--port', String(relay.port), '--'];
    case 'server': {
      const reports = reportsOfServer(machine, reportSocketIn(layout.mcpDirectory));
      return [layout.relay, ...reports, `UNIX-CONNECT:${layout.mcpDirectory}/${relay.socket}`, '--'];
    }
    case 'sibling':
      return [layout.relay, 'run', '--report-end', reportSocketIn(view.path), ...relay.options, '--'];
    case 'model':
      return [];
  }
}

function commandOf(program: PlannedProgram, layout: Layout): string[] {
  switch (program.type) {
    case 'scripted':
      return [layout.node, layout.scriptedAgent];
    case 'claude':
      return [layout.node, layout.claudeAgent];
    case 'acp':
      return [layout.node, layout.acpAgent, program.preset, ...program.command];
    case 'remote':
      return [layout.node, layout.remoteBridge, JSON.stringify(program.bridge)];
    case 'model':
      return [...modelCommand(layout.node, layout.modelProgram), JSON.stringify(program.config)];
    case 'command':
      return [program.command, ...program.args.map((argument) => inWorkspace(argument, layout))];
    case 'image':
      throw notRendered(`the image ${program.reference}`);
  }
}

/** The session's host reports what the server writes. */
function reportsOfServer({ programs, root }: Machine, reports: string): string[] {
  if (programs.relay !== null) {
    return ['--report-end', reports];
  }
  // In a sandbox the relay sees only its server's processes, and kills all of them with the connection.
  return [...(root === null ? [] : ['--alone']), '--report', reports];
}

/** Configurations name `/workspace`; without a sandbox it is somewhere else. */
function inWorkspace(argument: string, { workspace }: Layout): string {
  const inside = argument === '/workspace' || argument.startsWith('/workspace/');
  return inside ? workspace + argument.slice('/workspace'.length) : argument;
}

const searchPath = (layout: Layout, packages: ServerPackages | undefined): string =>
  packages?.type === 'tree' ? `${packages.programDirectory}:${layout.path}` : layout.path;

/** A certificate of the operator's is mounted where the container sees it. */
const asSeen = (packages: PackageSources): PackageSources => ({
  ...packages,
  caFile: packages.caFile === null ? null : caFileInside,
});

/** The agent's `config.json`, with paths as the agent sees them; null for a service. */
export function renderAgentConfig(
  plan: WorkloadPlan,
  { machine, directory }: { machine: Pick<Machine, 'programs' | 'root'>; directory: string },
): AgentConfig | null {
  if (plan.service !== null) {
    return null;
  }
  const { programs, root } = machine;
  const layout = root === null ? bareLayout(programs, directory, 'agent', null) : sandboxLayout(programs);
  return agentConfigOf(plan, layout);
}

/** What one container may use of this machine. */
export interface ContainerLimits {
  memoryBytes: number;
  /** Thousandths of one processor. */
  cpuMillis: number;
  /** Threads count as well. */
  processes: number;
  /** A tenth of a process of the platform when processors are short, or as much as one; absent: a tenth. */
  cpuShare?: 'tenth' | 'whole';
}

/** One container as a command. Holds secrets: it goes through pipes only. */
export interface ContainerLaunch {
  name: string;
  argv: string[];
  env: Record<string, string>;
  cwd: string;
  /** Arguments for bubblewrap besides the environment; null runs the command without a sandbox. */
  sandbox: string[] | null;
  network: Network;
  limits: ContainerLimits;
  /**
   * The control groups to create and run in, without the last part of their names; with none, each process
   * is limited individually.
   */
  cgroups: string[];
}

/** What the host also knows of a container of a session. */
export interface HostedContainer extends ContainerLaunch {
  /** Null for the platform's own program, whose state nobody asks for. */
  kind: ProcessKind | null;
  /** Variables of `env` whose values are redacted. */
  secretVariables: string[];
  /** The socket where the sidecar takes reports on it, relative to the session's directory; null for none. */
  reportSocket: string | null;
  privateHost: PrivateHostLaunch | null;
  /** Where the agent's files are taken at its end; absent without a repository. */
  changes?: ChangesLaunch;
}

/** Relative to the session's directory. */
export interface ChangesLaunch {
  socket: string;
  file: string;
  maxBytes: number;
}

/** A host with a private address that one container reaches, through the host of its session. */
export interface PrivateHostLaunch {
  /** Where it listens; relative to the session's directory. */
  socket: string;
  /** Where it forwards to. */
  origin: string;
}

export interface HostLaunch {
  directory: string;
  boot: SidecarBoot;
  /** The host starts the containers once all of these exist. */
  sockets: string[];
  /**
   * The agent's program runs only when this exists as well: its siblings are ready then. Null:
   * it waits for nothing more.
   */
  agentSocket: string | null;
  containers: HostedContainer[];
}
