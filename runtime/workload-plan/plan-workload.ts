/**
 * Pure: a frozen configuration as the plan of its workload, or a sentence about what cannot run. This is
 * where containers, programs, sockets, mounts and networks of a session are decided, for every runtime.
 */
import { isLoopbackUrl } from '../../config/parse.ts';
import type { Run } from '../../contract/agent.ts';
import { type Availability, unavailableAgent } from '../../contract/available-runs.ts';
import { platformServerName } from '../../contract/platform-server-name.ts';
import type {
  FrozenConfiguration,
  FrozenImage,
  FrozenServer,
  FrozenSibling,
} from '../../contract/session.ts';
import {
  agentHttpSocket,
  agentModelSocket,
  agentServerSocket,
  agentSiblingSocket,
  modelSocket,
  relaySocket,
  serviceSocket,
  sessionDirectories,
  siblingContainerName,
  siblingSocket,
  tokenSocket,
} from '../../contract/session-paths.ts';
import { longestReadySeconds } from '../../contract/sibling.ts';
import { pinReference } from '../../lib/oci/reference.ts';
import { bridgeConfigOf, privateOriginOf } from '../bridge-config.ts';
import { listenForModel, type ModelSettings, modelVariablesOf, planModel } from '../model-program.ts';
import {
  listenForSiblings,
  reportSocketIn,
  type SessionDescription,
  sessionDescription,
  siblingRelay,
  siblingsEnvironment,
} from '../render-boot.ts';
import { configuredEnv } from '../variables.ts';
import { type Network, UnsupportedWorkloadError } from '../workload.ts';
import { volumesToCover } from './image-volumes.ts';
import {
  containerPaths,
  hostSocketName,
  type PlannedContainer,
  type PlannedProgram,
  type WorkloadPlan,
} from './workload-plan.ts';

/** What a runtime has of its own in the decisions. */
export interface PlanRules extends ModelSettings {
  available: Availability;
  /** `own`: each container has a loopback of its own. `shared`: all have one. */
  networks: 'own' | 'shared';
  /**
   * `forwarded`: by a socket of the container that may reach one. `direct`: the container connects to it
   * itself, so that it is never on a loopback.
   */
  privateDestinations: 'forwarded' | 'direct';
  /** Of the agent; the others' follow. */
  firstUid: number;
}

/** Throws UnsupportedWorkloadError. */
export function planWorkload(configuration: FrozenConfiguration, rules: PlanRules): WorkloadPlan {
  const { agent, servers, siblings } = configuration;
  const facts = sessionDescription(configuration);
  refuseUnavailable(configuration, rules.available);
  refuseConflicts(configuration, rules);
  const firstSibling = rules.firstUid + 1 + servers.length;
  const others = [
    ...servers.map((server, index) => planServer(server, rules.firstUid + 1 + index, rules)),
    ...siblings.map((sibling, index) => planSibling(sibling, firstSibling + index, agent.network)),
    ...(facts.modelDialect !== null && agent.model_access !== undefined
      ? [planModel(agent.model_access, firstSibling + siblings.length, { ...rules, siblings })]
      : []),
  ];
  const containers = [planAgent(agent, facts, rules), ...others];
  const isOnLoopback = rules.networks === 'own';
  return {
    ...facts,
    containers,
    agentVariables: {
      model: modelVariablesOf(facts, isOnLoopback),
      siblings: siblingsEnvironment(facts.siblings, isOnLoopback),
    },
    directories: directoriesOf(containers, facts),
    sockets: socketsOf(containers, facts),
    start: {
      socket: facts.service === null ? agentHttpSocket() : serviceSocket(),
      siblingSeconds: longestReadySeconds(facts.siblings),
    },
    network: containers.some(({ network }) => network === 'internet') ? 'internet' : 'none',
    egressAllow: [...new Set([agent, ...servers].flatMap(({ egress_allow }) => egress_allow))],
    totalSeconds: agent.limits.total_seconds,
  };
}

/** Where sidecars are asked, in a network that is the session's own. */
export const controlPort = 7070;

/** Names and ports that the platform or another container has. Throws UnsupportedWorkloadError. */
function refuseConflicts(
  { agent, servers, siblings, service }: FrozenConfiguration,
  { networks }: Pick<PlanRules, 'networks'>,
): void {
  // The catalog accepts no such entry; if one got here, its socket would replace the platform's own.
  if (servers.some(({ name }) => name === platformServerName)) {
    throw new UnsupportedWorkloadError(`"platform" is the name of the platform's own server`);
  }
  if (networks === 'own') {
    return;
  }
  if (service?.port === controlPort) {
    throw new UnsupportedWorkloadError(
      `the service "${agent.name}": its PORT ${controlPort} is the platform's own in a session's Pod; set another one`,
    );
  }
  const listening = siblings.find(({ port }) => port !== undefined);
  const server = servers.find(({ network }) => network === 'internet');
  if (listening !== undefined && server !== undefined) {
    throw new UnsupportedWorkloadError(
      `the sibling "${listening.name}" listens on a port, and containers of a Pod share their ports: the MCP server "${server.name}", which has the network "internet", would reach it; detach that, or remove the port`,
    );
  }
}

function planAgent(
  agent: FrozenConfiguration['agent'],
  { service, siblings, modelDialect }: SessionDescription,
  { firstUid, networks }: PlanRules,
): PlannedContainer {
  const isOnLoopback = networks === 'own';
  return {
    name: 'agent',
    role: 'agent',
    subject: null,
    program: programOf('the agent', agent),
    env: configuredEnv(agent.env),
    uid: firstUid,
    network: agent.network,
    privateOrigin: null,
    view: { directory: sessionDirectories.agent, path: containerPaths.platform },
    report: { directory: sessionDirectories.report('agent'), path: containerPaths.report },
    relay:
      service === null
        ? {
            type: 'agent',
            siblings: isOnLoopback ? listenForSiblings(siblings) : [],
            model: isOnLoopback && modelDialect !== null ? listenForModel() : [],
          }
        : { type: 'service', port: service.port },
    size: 'agent',
  };
}

function planServer(server: FrozenServer, uid: number, rules: PlanRules): PlannedContainer {
  const { name, env, network } = server;
  const view = { directory: sessionDirectories.server(name), path: containerPaths.mcp };
  return {
    name: `mcp-${name}`,
    role: 'server',
    subject: name,
    ...serverProgram(server, rules),
    env: configuredEnv(env),
    uid,
    network,
    view,
    report: view,
    relay: { type: 'server', socket: `${name}.sock` },
    size: 'server',
  };
}

/** It has the agent's network, and sees no socket but the two of its relay. */
function planSibling(sibling: FrozenSibling, uid: number, network: Network): PlannedContainer {
  const { name, env, port } = sibling;
  const container = siblingContainerName(name);
  const view = { directory: sessionDirectories.report(container), path: containerPaths.report };
  return {
    name: container,
    role: 'sibling',
    subject: name,
    program: programOf(`sibling "${name}"`, sibling),
    env: configuredEnv(env),
    uid,
    network,
    privateOrigin: null,
    view,
    report: view,
    relay: { type: 'sibling', listens: port !== undefined, options: siblingRelay(sibling, view.path) },
    size: 'server',
  };
}

/** Of the agent or a sibling, which `label` names. Throws UnsupportedWorkloadError. */
function programOf(label: string, { run, image }: { run: Run; image: FrozenImage | null }): PlannedProgram {
  switch (run.type) {
    case 'builtin':
      return run.name === 'acp' ? acpProgram(run) : { type: run.name };
    case 'command':
      return { type: 'command', command: run.command, args: run.args };
    case 'image':
      if (image === null) {
        throw new UnsupportedWorkloadError(`${label}: the image ${run.image} was not read from its registry`);
      }
      return imageProgram(run.image, image, null);
  }
}

const acpProgram = (run: Extract<Run, { name: 'acp' }>): PlannedProgram => ({
  ...{ type: 'acp', preset: run.preset },
  command: run.preset === 'custom' ? [run.command, ...run.args] : [],
});

/** Of an MCP server. Throws UnsupportedWorkloadError. */
function serverProgram(
  server: FrozenServer,
  { privateHosts, privateDestinations }: PlanRules,
): Pick<PlannedContainer, 'program' | 'privateOrigin'> {
  const { name, shape, sign_in, image_digest, image_command, image_volumes, registry_credentials } = server;
  switch (shape.type) {
    case 'command':
      return {
        program: { type: 'command', command: shape.command, args: shape.args },
        privateOrigin: null,
      };
    case 'image': {
      if (image_digest === null || image_command === null || image_volumes === null) {
        throw new UnsupportedWorkloadError(
          `the MCP server "${name}": its image was not read from its registry; save the catalog entry again`,
        );
      }
      const image = { digest: image_digest, command: image_command, volumes: image_volumes };
      return {
        program: imageProgram(shape.image, image, registry_credentials === null ? null : name),
        privateOrigin: null,
      };
    }
    case 'remote': {
      const privateOrigin = privateOriginOf(shape, privateHosts);
      const isForwarded = privateDestinations === 'forwarded';
      if (!isForwarded && privateOrigin !== null && isLoopbackUrl(privateOrigin)) {
        throw new UnsupportedWorkloadError(
          `the MCP server "${name}": ${new URL(privateOrigin).host} would be its own container here; give it a URL with an address that containers reach, and list that in PRIVATE_MCP_HOSTS`,
        );
      }
      const mcpDirectory = containerPaths.mcp;
      const hostSocket = isForwarded ? `${mcpDirectory}/${hostSocketName}` : null;
      const bridge = bridgeConfigOf({ shape, sign_in }, { privateHosts, mcpDirectory, hostSocket });
      return { program: { type: 'remote', bridge }, privateOrigin };
    }
  }
}

/** At its frozen digest. Throws UnsupportedWorkloadError for volumes that no container may have. */
function imageProgram(
  image: string,
  { digest, command, volumes }: FrozenImage,
  credentialsOf: string | null,
): PlannedProgram {
  const reference = pinReference(image, digest);
  const covered = [containerPaths.workspace, containerPaths.temporary];
  return {
    type: 'image',
    reference,
    credentialsOf,
    command,
    volumes: volumesToCover(reference, volumes, covered),
  };
}

/** Those that containers are mounted from: they are there before anything but the sidecar starts. */
function directoriesOf(
  containers: readonly PlannedContainer[],
  { siblings }: Pick<SessionDescription, 'siblings'>,
): string[] {
  const hasSiblingSockets = siblings.some(({ port }) => port !== undefined);
  const ofAgent = ['agent', 'mcp', ...(hasSiblingSockets ? ['siblings'] : [])];
  const seen = (role: PlannedContainer['role']) =>
    containers.filter((each) => each.role === role).map(({ view }) => view.directory);
  return [
    ...ofAgent.map((name) => `${sessionDirectories.agent}/${name}`),
    ...seen('server'),
    ...seen('model'),
    sessionDirectories.report('agent'),
    ...seen('sibling'),
  ];
}

/** All but the one that the agent waits for. */
function socketsOf(
  containers: readonly PlannedContainer[],
  { service, siblings, servers, modelDialect }: SessionDescription,
): string[] {
  return [
    ...(service === null ? [agentServerSocket(platformServerName)] : []),
    ...containers.flatMap(({ report }) => (report === null ? [] : [reportSocketIn(report.directory)])),
    ...(modelDialect === null ? [] : [agentModelSocket(), modelSocket('requests'), modelSocket('budget')]),
    ...siblings.flatMap(({ name, port }) =>
      port === undefined ? [] : [agentSiblingSocket(name), siblingSocket(name)],
    ),
    ...servers.flatMap(({ name, access_tokens }) => [
      agentServerSocket(name),
      relaySocket(name),
      ...(access_tokens ? [tokenSocket(name)] : []),
    ]),
  ];
}

/**
 * What the table of `contract/available-runs.ts` rules out is refused on every runtime, in the words that
 * people read at save. Throws UnsupportedWorkloadError.
 */
export function refuseUnavailable(
  { agent, servers, siblings, services, service }: FrozenConfiguration,
  here: Availability,
): void {
  if (service !== undefined && agent.run.type === 'builtin') {
    throw new UnsupportedWorkloadError(
      `the service "${agent.name}": "${agent.run.name}" is an agent, which takes no requests; use a command or an image`,
    );
  }
  if (service !== undefined && servers.length + siblings.length + services.length > 0) {
    throw new UnsupportedWorkloadError(
      `the service "${agent.name}": a service has no servers and no companions`,
    );
  }
  const why = unavailableAgent({ ...agent, siblings, services }, servers, here);
  if (why !== null) {
    throw new UnsupportedWorkloadError(why);
  }
}

/** For what a renderer does not know: nothing runs because the table forgot to rule it out. */
export const notRendered = (what: string) =>
  new UnsupportedWorkloadError(`${what}: this runtime cannot run it`);
