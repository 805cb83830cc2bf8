/** Pure: a frozen configuration as containers, or a sentence about what containers cannot run. */

import type { Run } from '../../contract/agent.ts';
import { agentPaths } from '../../contract/agent-paths.ts';
import { availabilityOf } from '../../contract/available-runs.ts';
import { platformServerName } from '../../contract/platform-server-name.ts';
import { reportSocketName } from '../../contract/process-reports.ts';
import type { FrozenConfiguration, FrozenEnv, FrozenImage, FrozenServer } from '../../contract/session.ts';
import type { PrivateHosts } from '../bridge-config.ts';
import { listenForModel, modelContainerName, modelEnv, modelVariables } from '../model-program.ts';
import { refuseUnavailable } from '../refuse-unavailable.ts';
import {
  agentConfigOf,
  type BootSettings,
  renderBoot,
  type ServiceDescription,
  type SessionDescription,
  sessionDescription,
  type UnkeyedBoot,
} from '../render-boot.ts';
import { sidecarNodeOptions } from '../sidecar-program.ts';
import {
  type ContainerVariable,
  type PlatformVariables,
  packageVariables,
  plannedSecrets,
  planVariables,
} from '../variables.ts';
import { type Network, UnsupportedWorkloadError } from '../workload.ts';
import {
  type ContainerScratch,
  type ContainerSize,
  type ContainerSpec,
  type ContainerView,
  type ContainerWorkload,
  containerPaths,
  containerUsers,
  volumeDirectories,
} from './container-workload.ts';
import { volumesToCover } from './image-volumes.ts';
import { modelProgram, type Program, programOf, serverProgram } from './programs.ts';

export interface ContainerSettings extends BootSettings {
  images: { sidecar: string; scripted: string; runner: string };
  sizes: { sidecar: ContainerSize; agent: ContainerSize; server: ContainerSize };
  /** Of `/workspace` in each container. */
  workspaceBytes: number;
  /** Of `/tmp`, and of each volume that an image declares. */
  temporaryBytes: number;
  /** Of a session whose agent sets none. */
  totalSeconds: number;
  /**
   * How the relay narrows a container's network before it runs anything. `shared`: the containers share one network, so
   * the relay enforces `none`. `own`: each has its own, and the relay makes sure that `internet` reaches nothing but the internet.
   */
  networks: 'shared' | 'own';
  /** Of remote MCP servers, and of the endpoint of language models. */
  privateHosts: PrivateHosts;
  modelBaseUrl: string;
}

/** What containers can run anywhere; the drivers refuse what their engine or cluster adds to it. */
const inContainers = availabilityOf('kubernetes', []);

/** Time for a session's orderly shutdown after its limit. */
const lifetimeMarginSeconds = 900;

/** Throws UnsupportedWorkloadError. */
export function renderContainerWorkload(
  configuration: FrozenConfiguration,
  settings: ContainerSettings,
): ContainerWorkload {
  const { agent, servers, siblings } = configuration;
  const facts = sessionDescription(configuration);
  refuseUnavailable(configuration, inContainers);
  // The catalog accepts no such entry; if one got here, its socket would replace the platform's own.
  if (servers.some(({ name }) => name === platformServerName)) {
    throw new UnsupportedWorkloadError(`"platform" is the name of the platform's own server`);
  }
  if (settings.networks === 'shared' && facts.service?.port === controlPort) {
    throw new UnsupportedWorkloadError(
      `the service "${agent.name}": its PORT ${controlPort} is the platform's own in a session's Pod; set another one`,
    );
  }
  const rendering = {
    ...settings,
    sessionId: configuration.session_id,
    service: facts.service,
    hasModelAccess: facts.hasModelAccess,
  };
  const containers = [
    sidecarContainer(settings),
    ...servers.map((server, index) => serverContainer(server, containerUsers.firstOther + index, rendering)),
    ...siblings.map((sibling, index) =>
      siblingContainer(
        { ...sibling, network: agent.network },
        containerUsers.firstOther + servers.length + index,
        rendering,
      ),
    ),
    ...modelContainers(
      facts.hasModelAccess ? agent : {},
      containerUsers.firstOther + servers.length + siblings.length,
      rendering,
    ),
    // Last: a node that starts one container after the other, as each image arrives, has its servers ready for its first call.
    agentContainer(agent, rendering),
  ];
  return {
    sessionId: configuration.session_id,
    workspaceId: configuration.workspace_id,
    ownerSessionId: facts.service?.sessionId ?? null,
    boot: bootOf(facts, settings),
    containers,
    directories: [
      ...['agent', 'mcp'].map((name) => `${volumeDirectories.agent}/${name}`),
      ...servers.map(({ name }) => volumeDirectories.server(name)),
      ...(facts.hasModelAccess ? [volumeDirectories.model] : []),
      ...['agent', ...siblings.map(({ name }) => siblingContainerName(name))].map(volumeDirectories.report),
    ],
    network: containers.some(({ network }) => network === 'internet') ? 'internet' : 'none',
    egressAllow: [...new Set([agent, ...servers].flatMap(({ egress_allow }) => egress_allow))],
    lifetimeSeconds: (agent.limits.total_seconds ?? settings.totalSeconds) + lifetimeMarginSeconds,
  };
}

/** The same in every session: the network is the session's own. */
const controlPort = 7070;

function bootOf(facts: SessionDescription, settings: ContainerSettings): UnkeyedBoot {
  const { session, relay, mcp: mcpDirectory } = containerPaths;
  return renderBoot(facts, settings, {
    session_directory: session,
    agent_config: facts.service === null ? agentConfigOf(facts, { relay, mcpDirectory }) : null,
    control_host: '0.0.0.0',
    control_port: controlPort,
  });
}

const relayView: ContainerView = {
  directory: volumeDirectories.relay,
  path: containerPaths.relayDirectory,
};

/** Its image has the relay; it may write only to the volume that it fills for the others. */
function sidecarContainer({ images, sizes }: ContainerSettings): ContainerSpec {
  const program = [
    'node',
    ...sidecarNodeOptions,
    '/opt/platform/sidecar.js',
    '--boot-file',
    containerPaths.bootFile,
  ];
  return {
    name: 'sidecar',
    role: 'sidecar',
    subject: null,
    image: { reference: images.sidecar, credentialsOf: null },
    argv: [containerPaths.relay, 'supervise', '--', ...program],
    env: [],
    uid: containerUsers.sidecar,
    network: 'none',
    privateOrigin: null,
    views: [],
    scratch: [],
    workingDirectory: null,
    size: sizes.sidecar,
  };
}

/** Settings of one session. */
interface Rendering extends ContainerSettings {
  sessionId: string;
  /** Null for a session. */
  service: ServiceDescription | null;
  hasModelAccess: boolean;
}

function agentContainer(agent: FrozenConfiguration['agent'], settings: Rendering): ContainerSpec {
  const program = programOf('the agent', agent, settings);
  const recipient = { role: 'agent', subject: null } as const;
  const env = planVariables(recipient, agent.env, platformVariables(agent.network, settings));
  return {
    name: 'agent',
    ...recipient,
    image: program.image,
    argv: [
      containerPaths.relay,
      'run',
      ...narrowing(agent.network, settings),
      ...reporting(containerPaths.report, env),
      ...waiting(settings),
      ...(settings.hasModelAccess && settings.networks === 'own'
        ? listenForModel(agentPaths.modelSocket)
        : []),
      '--',
      ...program.command,
    ],
    env,
    uid: containerUsers.agent,
    network: agent.network,
    privateOrigin: null,
    views: [
      relayView,
      { directory: volumeDirectories.agent, path: containerPaths.platform },
      reportView('agent'),
    ],
    scratch: scratchOf(program, settings),
    workingDirectory: program.workingDirectory,
    size: settings.sizes.agent,
  };
}

/** For the sidecar; the relay of a service brings it its requests. */
function waiting({ service }: Rendering): string[] {
  const { sidecarSocket, serviceSocket } = agentPaths;
  return service === null
    ? ['--wait', sidecarSocket]
    : ['--wait', serviceSocket, '--gateway', serviceSocket, '--port', String(service.port)];
}

function serverContainer(server: FrozenServer, uid: number, settings: Rendering): ContainerSpec {
  const program = serverProgram(server, settings);
  const socket = `${containerPaths.mcp}/${server.name}.sock`;
  const recipient = { role: 'server', subject: server.name } as const;
  const env = planVariables(recipient, server.env, platformVariables(server.network, settings));
  return {
    name: `mcp-${server.name}`,
    ...recipient,
    image: program.image,
    argv: [
      containerPaths.relay,
      ...narrowing(server.network, settings),
      ...reporting(containerPaths.mcp, env),
      `UNIX-CONNECT:${socket}`,
      '--',
      ...program.command,
    ],
    env,
    uid,
    network: server.network,
    privateOrigin: program.privateOrigin,
    views: [relayView, { directory: volumeDirectories.server(server.name), path: containerPaths.mcp }],
    scratch: scratchOf(program, settings),
    workingDirectory: program.workingDirectory,
    size: settings.sizes.server,
  };
}

/** One for an agent with access to a model. It is started like a sibling, and sees its own sockets alone. */
function modelContainers(
  { model_access: access }: Pick<FrozenConfiguration['agent'], 'model_access'>,
  uid: number,
  settings: Rendering,
): ContainerSpec[] {
  if (access === undefined) {
    return [];
  }
  const program = modelProgram(access, settings);
  const recipient = { role: 'model', subject: null } as const;
  return [
    {
      name: modelContainerName,
      ...recipient,
      image: program.image,
      argv: [containerPaths.relay, 'run', ...narrowing('internet', settings), '--', ...program.command],
      env: planVariables(recipient, modelEnv(access), platformVariables('internet', settings)),
      uid,
      network: 'internet',
      privateOrigin: program.privateOrigin,
      views: [relayView, { directory: volumeDirectories.model, path: containerPaths.model }],
      scratch: scratchOf(program, settings),
      workingDirectory: program.workingDirectory,
      size: settings.sizes.server,
    },
  ];
}

const siblingContainerName = (sibling: string) => `sibling-${sibling}`;

/** Shares the agent's network and sees no socket but the one its process 1 reports on. */
function siblingContainer(
  sibling: { name: string; run: Run; image: FrozenImage | null; env: FrozenEnv; network: Network },
  uid: number,
  settings: Rendering,
): ContainerSpec {
  const program = programOf(`sibling "${sibling.name}"`, sibling, settings);
  const name = siblingContainerName(sibling.name);
  const recipient = { role: 'sibling', subject: sibling.name } as const;
  const env = planVariables(recipient, sibling.env, platformVariables(sibling.network, settings));
  return {
    name,
    ...recipient,
    image: program.image,
    argv: [
      containerPaths.relay,
      'run',
      ...narrowing(sibling.network, settings),
      ...reporting(containerPaths.report, env),
      // One that ends at once would disappear before it could report why.
      '--wait',
      reportSocket(containerPaths.report),
      '--',
      ...program.command,
    ],
    env,
    uid,
    network: sibling.network,
    privateOrigin: null,
    views: [relayView, reportView(name)],
    scratch: scratchOf(program, settings),
    workingDirectory: program.workingDirectory,
    size: settings.sizes.server,
  };
}

const reportView = (container: string): ContainerView => ({
  directory: volumeDirectories.report(container),
  path: containerPaths.report,
});

const reportSocket = (directory: string) => `${directory}/${reportSocketName}`;

/** Where process 1 reports on its command, and which values it redacts: their names, since the values are in its environment. */
function reporting(directory: string, env: readonly ContainerVariable[]): string[] {
  return [
    ...['--report', reportSocket(directory)],
    ...plannedSecrets(env).flatMap((name) => ['--secret', name]),
  ];
}

/** Caps file size at the largest volume: some files of a container, like its termination log, are covered by no other limit. */
function narrowing(
  network: Network,
  { networks, workspaceBytes, temporaryBytes, service }: Rendering,
): string[] {
  const narrowed = networks === 'shared' ? network === 'none' : network === 'internet';
  // Without a network a service still takes the connections of its relay.
  const none = service === null ? 'none' : 'listen';
  return [
    ...(narrowed ? ['--network', networks === 'shared' ? none : 'fenced'] : []),
    '--file-size',
    String(Math.max(workspaceBytes, temporaryBytes)),
  ];
}

/** Volumes that an image declares become scratch space too, of the size of `/tmp`. */
function scratchOf(
  { image, volumes }: Program,
  { workspaceBytes, temporaryBytes }: ContainerSettings,
): ContainerScratch[] {
  const { workspace, temporary } = containerPaths;
  return [
    { name: 'workspace', path: workspace, sizeBytes: workspaceBytes },
    { name: 'tmp', path: temporary, sizeBytes: temporaryBytes },
    ...volumesToCover(image.reference, volumes, [workspace, temporary]).map((path, index) => ({
      name: `volume-${index}`,
      path,
      sizeBytes: temporaryBytes,
    })),
  ];
}

/** An image says itself where its packages come from. */
const sourcesOfImage = { npmRegistryUrl: null, pypiIndexUrl: null, caFile: null };

function platformVariables(
  network: Network,
  { sessionId, service, hasModelAccess, networks }: Rendering,
): PlatformVariables {
  const { config, sidecarSocket, modelSocket } = agentPaths;
  return {
    sessionId,
    paths: { workspace: containerPaths.workspace, config, sidecarSocket },
    searchPath: null,
    packages: packageVariables(network, sourcesOfImage),
    service,
    model: hasModelAccess ? modelVariables(modelSocket, networks === 'own') : null,
  };
}
