/** Pure: the workload with its secrets, as the commands that the session's host runs. */

import { relative } from 'node:path';
import type { AgentConfig } from '../../contract/agent-contract.ts';
import { platformServerName } from '../../contract/platform-server-name.ts';
import { reportSocketName } from '../../contract/process-reports.ts';
import { listenForModel, modelVariables } from '../model-program.ts';
import { agentConfigOf, type BootSettings, keyedBoot, renderBoot } from '../render-boot.ts';
import {
  environmentOf,
  type PackageSources,
  type PlatformVariables,
  packageVariables,
} from '../variables.ts';
import type { LaunchSecrets } from '../workload.ts';
import { type Cgroups, cgroupsOf } from './host/cgroups.ts';
import type { ContainerLimits, HostedContainer, HostLaunch, PrivateHostLaunch } from './host-protocol.ts';
import { bareLayout, type Layout, type Programs, sandboxLayout, sessionFiles } from './layout.ts';
import type { ServerPackages, SessionPackages } from './packages/session-packages.ts';
import { packagesInside } from './packages/tree-stream.ts';
import { caFileInside, readOnly, renderSandbox, type SystemRoot } from './render-sandbox.ts';
import type { ContainerProgram, ProcessContainerSpec, ProcessWorkloadSpec } from './workload-spec.ts';

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
}

export function renderLaunch(
  spec: ProcessWorkloadSpec,
  secrets: LaunchSecrets,
  place: LaunchPlace,
): HostLaunch {
  const { machine, directory } = place;
  const files = sessionFiles(directory);
  return {
    directory,
    boot: keyedBoot(
      renderBoot(spec, machine, {
        session_directory: directory,
        agent_config: null,
        control_host: '127.0.0.1',
        control_port: 0,
      }),
      secrets,
    ),
    sockets: [
      ...(spec.service === null
        ? [files.sidecarSocket, files.agentSocket(platformServerName)]
        : [files.serviceSocket]),
      files.reportSocket(null),
      ...(spec.hasModelAccess ? [files.modelSocket, ...files.ofModelProgram] : []),
      ...spec.servers.flatMap(({ name, access_tokens }) => [
        files.agentSocket(name),
        files.relaySocket(name),
        files.reportSocket(name),
        ...(access_tokens ? [files.tokenSocket(name)] : []),
      ]),
    ],
    containers: spec.containers.map((container) => renderContainer(container, spec, secrets, place)),
  };
}

function renderContainer(
  asked: ProcessContainerSpec,
  spec: ProcessWorkloadSpec,
  secrets: LaunchSecrets,
  { machine, directory, packages: ofSession = new Map() }: LaunchPlace,
): HostedContainer {
  const { programs, root } = machine;
  const packages = asked.server === null ? undefined : ofSession.get(asked.server);
  const container: ProcessContainerSpec = { ...asked, network: machine.internet ? asked.network : 'none' };
  const layout =
    root === null
      ? bareLayout(programs, directory, container.name, container.server)
      : sandboxLayout(programs);
  const platform: PlatformVariables = {
    sessionId: spec.sessionId,
    paths: layout,
    searchPath: searchPath(layout, packages),
    packages: packageVariables(container.network, asSeen(machine.packages)),
    service: spec.service,
    model: spec.hasModelAccess ? modelVariables(layout.modelSocket, root !== null) : null,
  };
  return {
    name: container.name,
    argv: argvOf(container, layout, { machine, packages, spec }),
    env: environmentOf(recipientOf(container), secrets, platform),
    cwd: sessionFiles(directory).workspace(container.name),
    sandbox:
      root === null
        ? null
        : renderSandbox(container, {
            ...{ directory, programs, root, isService: spec.service !== null },
            hasModelAccess: spec.hasModelAccess,
            workspaceBytes: machine.limits.workspaceBytes,
            caFile: container.network === 'internet' ? machine.packages.caFile : null,
            packages: packages?.type === 'tree' ? readOnly(packages.tree, packagesInside) : [],
          }),
    network: container.network,
    limits: container.role === 'agent' ? machine.limits.agent : machine.limits.server,
    cgroups:
      machine.cgroups === null
        ? []
        : cgroupsOf(machine.cgroups, machine.owner, `${spec.sessionId}.${container.name}`),
    kind: container.role === 'model' ? null : container.role,
    secretVariables: container.secretVariables,
    reportSocket:
      container.role === 'model'
        ? null
        : relative(directory, sessionFiles(directory).reportSocket(container.server)),
    privateHost: privateHostOf(container, directory),
  };
}

/** A forward in the directory of the one container that may use it. */
function privateHostOf(
  { program, server }: ProcessContainerSpec,
  directory: string,
): PrivateHostLaunch | null {
  if ((program.type !== 'remote' && program.type !== 'model') || program.privateOrigin === null) {
    return null;
  }
  const files = sessionFiles(directory);
  const socket = relative(directory, server === null ? files.modelHostSocket : files.hostSocket(server));
  return { socket, origin: program.privateOrigin };
}

function argvOf(
  { program, role, server }: ProcessContainerSpec,
  layout: Layout,
  {
    machine,
    packages,
    spec: { service, hasModelAccess },
  }: {
    machine: Machine;
    packages: ServerPackages | undefined;
    spec: Pick<ProcessWorkloadSpec, 'service' | 'hasModelAccess'>;
  },
): string[] {
  const command = packages?.argv ?? commandOf(program, layout);
  if (service !== null) {
    const forwarding = ['--gateway', layout.serviceSocket, '--port', String(service.port)];
    return [layout.relay, 'run', ...forwarding, '--', ...command];
  }
  if (role === 'agent' && hasModelAccess) {
    return [layout.relay, 'run', ...listenForModel(layout.modelSocket), '--', ...command];
  }
  if (server === null) {
    return command;
  }
  const socket = `UNIX-CONNECT:${layout.mcpDirectory}/${server}.sock`;
  const reports = `${layout.mcpDirectory}/${reportSocketName}`;
  return [layout.relay, ...relayOptions(machine, reports), socket, '--', ...command];
}

function commandOf(program: ContainerProgram, layout: Layout): string[] {
  switch (program.type) {
    case 'scripted':
      return [layout.node, layout.scriptedAgent];
    case 'remote':
      return [layout.node, layout.remoteBridge, JSON.stringify(program.bridge)];
    case 'model':
      return [layout.node, layout.modelProgram, JSON.stringify(program.config)];
    case 'command':
      return [program.command, ...program.args.map((argument) => inWorkspace(argument, layout))];
  }
}

/** The session's host reports what the server writes. */
function relayOptions({ programs, root }: Machine, reports: string): string[] {
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

const recipientOf = (container: ProcessContainerSpec) => ({
  ...container,
  subject: container.server,
});

/** The agent's `config.json`, with paths as the agent sees them; null for a service. */
export function renderAgentConfig(
  spec: ProcessWorkloadSpec,
  { machine, directory }: { machine: Pick<Machine, 'programs' | 'root'>; directory: string },
): AgentConfig | null {
  if (spec.service !== null) {
    return null;
  }
  const { programs, root } = machine;
  const layout = root === null ? bareLayout(programs, directory, 'agent', null) : sandboxLayout(programs);
  return agentConfigOf(spec, layout);
}
