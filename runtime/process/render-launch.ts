/** Pure: the workload with its secrets, as the commands that the session's host runs. */

import { join } from 'node:path';
import type { AgentConfig } from '../../contract/agent-contract.ts';
import type { ProcessKind } from '../../contract/session-process.ts';
import { modelCommand } from '../model-program.ts';
import { notRendered } from '../refuse-unavailable.ts';
import { agentConfigOf, type BootSettings, keyedBoot, renderBoot } from '../render-boot.ts';
import { reportSocketIn } from '../siblings.ts';
import {
  environmentOf,
  type PackageSources,
  type PlatformVariables,
  packageVariables,
  secretVariables,
} from '../variables.ts';
import type { LaunchSecrets } from '../workload.ts';
import {
  hostSocketName,
  type PlannedContainer,
  type PlannedProgram,
  type WorkloadPlan,
} from '../workload-plan/workload-plan.ts';
import { type Cgroups, cgroupsOf } from './host/cgroups.ts';
import type { ContainerLimits, HostedContainer, HostLaunch } from './host-protocol.ts';
import { bareLayout, type Layout, type Programs, sandboxLayout, sessionFiles } from './layout.ts';
import type { ServerPackages, SessionPackages } from './packages/session-packages.ts';
import { packagesInside } from './packages/tree-stream.ts';
import { caFileInside, readOnly, renderSandbox, type SystemRoot } from './render-sandbox.ts';
import { type AgentRepository, inRepository } from './repositories/agent-repository.ts';

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
