/** Pure: the workload with its secrets, as the commands that the session's host runs. */

import { relative } from 'node:path';
import type { AgentConfig } from '../../contract/agent-contract.ts';
import { platformServerName } from '../../contract/platform-server-name.ts';
import { reportSocketName } from '../../contract/process-reports.ts';
import type { ProcessKind } from '../../contract/session-process.ts';
import { listenForModel, modelCommand, modelVariables } from '../model-program.ts';
import { agentConfigOf, type BootSettings, keyedBoot, renderBoot } from '../render-boot.ts';
import { listenForSiblings, reportSocketIn, siblingRelay, siblingsEnvironment } from '../siblings.ts';
import {
  environmentOf,
  type PackageSources,
  type PlatformVariables,
  packageVariables,
} from '../variables.ts';
import type { ContainerRole, LaunchSecrets } from '../workload.ts';
import { type Cgroups, cgroupsOf } from './host/cgroups.ts';
import type { ContainerLimits, HostedContainer, HostLaunch, PrivateHostLaunch } from './host-protocol.ts';
import {
  bareLayout,
  type Layout,
  type Programs,
  sandboxLayout,
  sessionFiles,
  siblingDirectoryInside,
} from './layout.ts';
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
  const agentSocket = spec.service === null ? files.sidecarSocket : files.serviceSocket;
  const isAwaited = spec.siblings.some(({ ready }) => ready !== undefined);
  return {
    directory,
    boot: keyedBoot(
      renderBoot({ ...spec, servers: spec.servers.map(withoutLoading(place)) }, machine, {
        session_directory: directory,
        agent_config: null,
        control_host: '127.0.0.1',
        control_port: 0,
      }),
      secrets,
    ),
    sockets: [
      ...(isAwaited ? [] : [agentSocket]),
      ...(spec.service === null ? [files.agentSocket(platformServerName)] : []),
      ...spec.containers.filter(({ program }) => program.type !== 'model').map(files.reportSocket),
      ...(spec.hasModelAccess ? [files.modelSocket, ...files.ofModelProgram] : []),
      ...spec.siblings.flatMap(({ name, port }) =>
        port === undefined ? [] : [files.agentSibling(name), files.siblingSocket(name)],
      ),
      ...spec.servers.flatMap(({ name, access_tokens }) => [
        files.agentSocket(name),
        files.relaySocket(name),
        ...(access_tokens ? [files.tokenSocket(name)] : []),
      ]),
    ],
    agentSocket: isAwaited ? agentSocket : null,
    containers: spec.containers.map((container) => renderContainer(container, spec, secrets, place)),
  };
}

/** Once its packages are there a server is a program as any other: no registry makes it slow or fail. */
const withoutLoading =
  ({ packages }: LaunchPlace) =>
  (server: ProcessWorkloadSpec['servers'][number]) =>
    packages?.get(server.name)?.type === 'tree' ? { ...server, loads_packages: false } : server;

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
    siblings: siblingsEnvironment(spec.siblings, true),
  };
  const relayed = relayOfAgent(container, spec, layout);
  return {
    name: container.name,
    argv: argvOf(container, layout, { machine, packages, relayed }),
    env: environmentOf(recipientOf(container), secrets, platform),
    cwd: sessionFiles(directory).workspace(container.name),
    sandbox:
      root === null
        ? null
        : renderSandbox(container, {
            ...{ directory, programs, root, isRelayed: relayed.length > 0 },
            workspaceBytes: machine.limits.workspaceBytes,
            caFile: container.network === 'internet' ? machine.packages.caFile : null,
            packages: packages?.type === 'tree' ? readOnly(packages.tree, packagesInside) : [],
          }),
    network: container.network,
    limits: roleOf(container) === 'agent' ? machine.limits.agent : machine.limits.server,
    cgroups:
      machine.cgroups === null
        ? []
        : cgroupsOf(machine.cgroups, machine.owner, `${spec.sessionId}.${container.name}`),
    kind: kindOf(container),
    secretVariables: container.secretVariables,
    reportSocket:
      kindOf(container) === null
        ? null
        : relative(directory, sessionFiles(directory).reportSocket(container)),
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

/** What the relay does beside the agent, or a service in its place; empty when it starts without one. */
function relayOfAgent(
  container: ProcessContainerSpec,
  { service, siblings, hasModelAccess }: ProcessWorkloadSpec,
  layout: Layout,
): string[] {
  if (roleOf(container) !== 'agent') {
    return [];
  }
  return service === null
    ? [...listenForSiblings(siblings), ...(hasModelAccess ? listenForModel(layout.modelSocket) : [])]
    : ['--gateway', layout.serviceSocket, '--port', String(service.port)];
}

function argvOf(
  { program, server, sibling }: ProcessContainerSpec,
  layout: Layout,
  {
    machine,
    packages,
    relayed,
  }: {
    machine: Machine;
    packages: ServerPackages | undefined;
    relayed: readonly string[];
  },
): string[] {
  const command = packages?.argv ?? commandOf(program, layout);
  if (sibling !== null) {
    const report = ['--report-end', reportSocketIn(siblingDirectoryInside)];
    const options = [...report, ...siblingRelay(sibling, siblingDirectoryInside)];
    return [layout.relay, 'run', ...options, '--', ...command];
  }
  if (server === null) {
    return relayed.length === 0 ? command : [layout.relay, 'run', ...relayed, '--', ...command];
  }
  const socket = `UNIX-CONNECT:${layout.mcpDirectory}/${server}.sock`;
  const reports = `${layout.mcpDirectory}/${reportSocketName}`;
  return [layout.relay, ...relayOptions(machine, reports), socket, '--', ...command];
}

function commandOf(program: ContainerProgram, layout: Layout): string[] {
  switch (program.type) {
    case 'scripted':
      return [layout.node, layout.scriptedAgent];
    case 'claude':
      return [layout.node, layout.claudeAgent];
    case 'remote':
      return [layout.node, layout.remoteBridge, JSON.stringify(program.bridge)];
    case 'model':
      return [...modelCommand(layout.node, layout.modelProgram), JSON.stringify(program.config)];
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

/** Null for the platform's own program, which nobody asks about. */
const kindOf = ({ program, server, sibling }: ProcessContainerSpec): ProcessKind | null =>
  program.type === 'model' ? null : sibling !== null ? 'sibling' : server === null ? 'agent' : 'server';

const roleOf = (container: ProcessContainerSpec): ContainerRole => kindOf(container) ?? 'model';

const recipientOf = (container: ProcessContainerSpec) => ({
  ...container,
  role: roleOf(container),
  subject: container.sibling?.name ?? container.server,
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
