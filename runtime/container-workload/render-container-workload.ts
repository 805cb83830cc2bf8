/** Pure: a frozen configuration as containers, or a sentence about what containers cannot run. */

import { agentPaths } from '../../contract/agent-paths.ts';
import { availabilityOf } from '../../contract/available-runs.ts';
import { platformServerName } from '../../contract/platform-server-name.ts';
import type { FrozenConfiguration, FrozenServer, FrozenSibling } from '../../contract/session.ts';
import { longestReadySeconds } from '../../contract/sibling.ts';
import { listenForModel } from '../model-program.ts';
import { refuseUnavailable } from '../refuse-unavailable.ts';
import {
  agentConfigOf,
  renderBoot,
  type SessionDescription,
  sessionDescription,
  type UnkeyedBoot,
} from '../render-boot.ts';
import { listenForSiblings, reportSocketIn, siblingContainerName, siblingRelay } from '../siblings.ts';
import { sidecarNodeOptions } from '../sidecar-program.ts';
import { planVariables } from '../variables.ts';
import { type Network, UnsupportedWorkloadError } from '../workload.ts';
import {
  type ContainerSettings,
  narrowing,
  platformVariables,
  type Rendering,
  relayView,
  reporting,
  reportView,
  scratchOf,
} from './container-parts.ts';
import {
  type ContainerSpec,
  type ContainerWorkload,
  containerPaths,
  containerUsers,
  volumeDirectories,
} from './container-workload.ts';
import { modelContainer } from './model-container.ts';
import { programOf, serverProgram } from './programs.ts';

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
  refuseSharedPorts(configuration, settings);
  const rendering = {
    ...settings,
    sessionId: configuration.session_id,
    service: facts.service,
    hasModelAccess: facts.hasModelAccess,
    siblings: facts.siblings,
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
    ...(facts.hasModelAccess && agent.model_access !== undefined
      ? [
          modelContainer(
            agent.model_access,
            containerUsers.firstOther + servers.length + siblings.length,
            rendering,
          ),
        ]
      : []),
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
      ...['agent', 'mcp', ...(siblings.some(({ port }) => port !== undefined) ? ['siblings'] : [])].map(
        (name) => `${volumeDirectories.agent}/${name}`,
      ),
      ...servers.map(({ name }) => volumeDirectories.server(name)),
      ...(facts.hasModelAccess ? [volumeDirectories.model] : []),
      ...['agent', ...siblings.map(({ name }) => siblingContainerName(name))].map(volumeDirectories.report),
    ],
    network: containers.some(({ network }) => network === 'internet') ? 'internet' : 'none',
    egressAllow: [...new Set([agent, ...servers].flatMap(({ egress_allow }) => egress_allow))],
    lifetimeSeconds: (agent.limits.total_seconds ?? settings.totalSeconds) + lifetimeMarginSeconds,
  };
}

/** Throws UnsupportedWorkloadError for a sibling's port that an MCP server could reach, or take first: containers of a Pod share their ports. */
function refuseSharedPorts(
  { siblings, servers }: FrozenConfiguration,
  { networks }: Pick<ContainerSettings, 'networks'>,
): void {
  const listening = siblings.find(({ port }) => port !== undefined);
  const server = servers.find(({ network }) => network === 'internet');
  if (networks === 'shared' && listening !== undefined && server !== undefined) {
    throw new UnsupportedWorkloadError(
      `the sibling "${listening.name}" listens on a port, and containers of a Pod share their ports: the MCP server "${server.name}", which has the network "internet", would reach it; detach that, or remove the port`,
    );
  }
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
      ...(settings.networks === 'own' ? listenForSiblings(settings.siblings) : []),
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

/** Images of siblings may still be on their way; whether one gets ready in time is the sidecar's to say. */
const waitMarginSeconds = 1200;

/** For the sidecar, which is there when the siblings are ready; the relay of a service brings it its requests. */
function waiting({ service, siblings }: Rendering): string[] {
  const { sidecarSocket, serviceSocket } = agentPaths;
  const siblingSeconds = longestReadySeconds(siblings);
  const limit = ['--wait-limit-ms', String((siblingSeconds + waitMarginSeconds) * 1000)];
  return service === null
    ? ['--wait', sidecarSocket, ...(siblingSeconds > 0 ? limit : [])]
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

/** With a network of its own, where there is one for each container. It sees no socket but the two of its process 1. */
function siblingContainer(
  sibling: FrozenSibling & { network: Network },
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
      ...narrowing(sibling.network, settings, { listens: sibling.port !== undefined }),
      ...reporting(containerPaths.report, env),
      ...siblingRelay(sibling, containerPaths.report),
      // One that ends at once would disappear before it could report why.
      '--wait',
      reportSocketIn(containerPaths.report),
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
