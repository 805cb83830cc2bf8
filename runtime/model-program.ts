/**
 * Pure: the model container of a session's plan, what its program runs with, and how the agent reaches it, on
 * every runtime.
 */
import { isLoopbackUrl } from '../config/parse.ts';
import { agentPaths } from '../contract/agent-paths.ts';
import type { ModelDialect } from '../contract/model-access.ts';
import type { ModelEndpoints } from '../contract/model-endpoint.ts';
import { type ModelProgramConfig, modelKeyVariable } from '../contract/model-program.ts';
import type { FrozenModelAccess, FrozenSibling } from '../contract/session.ts';
import { sessionDirectories } from '../contract/session-paths.ts';
import { type PrivateHosts, privateOriginOf } from './bridge-config.ts';
import type { SessionDescription } from './render-boot.ts';
import { configuredEnv } from './variables.ts';
import { UnsupportedWorkloadError } from './workload.ts';
import { containerPaths, hostSocketName, type PlannedContainer } from './workload-plan/workload-plan.ts';

/** Its container. */
const modelContainerName = 'model';

/**
 * Its command but for its one argument. Two requests of 32 MiB are taken at a time, and a text that is not
 * Latin has two bytes a character in memory: a heap without a bound, which a sandbox without control groups
 * has, outgrows the memory of the container before it is cleared up.
 */
export const modelCommand = (node: string, program: string): string[] => [
  node,
  '--max-old-space-size=256',
  program,
];

/** On the agent's own loopback, where it has one, for programs that know TCP alone. */
const modelPort = 7071;

export interface ModelSettings {
  /** By name: the operator's. */
  modelEndpoints: ModelEndpoints;
  /** Of the endpoint, and of remote MCP servers. */
  privateHosts: PrivateHosts;
}

interface ModelPlace {
  /** The directory of the program's sockets, as its container sees it. */
  socketDirectory: string;
  /**
   * A socket where the runtime forwards to the endpoint when that is a private host; null where the
   * container reaches it itself.
   */
  hostSocket: string | null;
}

interface ModelProgram {
  config: ModelProgramConfig;
  /** Scheme, host and port of an endpoint with a private address; null for one of the internet. */
  privateOrigin: string | null;
}

/** Throws UnsupportedWorkloadError for an endpoint that is no longer the frozen one. */
function modelProgramOf(
  { endpoint: name, dialect, models }: Pick<FrozenModelAccess, 'endpoint' | 'dialect' | 'models'>,
  { modelEndpoints, privateHosts }: ModelSettings,
  { socketDirectory, hostSocket }: ModelPlace,
): ModelProgram {
  const endpoint = modelEndpoints.get(name);
  if (endpoint === undefined || endpoint.dialect !== dialect) {
    throw new UnsupportedWorkloadError(
      `the agent's model access: the endpoint "${name}" is no longer what it was when the session started`,
    );
  }
  const { base_url, default_max_tokens, maximum_field } = endpoint;
  const privateOrigin = privateOriginOf({ url: base_url }, privateHosts);
  const { host } = new URL(base_url);
  const scheme = privateHosts.get(host);
  return {
    config: {
      dialect,
      base_url,
      models,
      default_max_tokens,
      ...(maximum_field === undefined ? {} : { maximum_field }),
      socket_directory: socketDirectory,
      private_hosts: privateOrigin !== null && scheme !== undefined ? { [host]: scheme } : {},
      ...(privateOrigin !== null && hostSocket !== null ? { host_socket: hostSocket } : {}),
    },
    privateOrigin,
  };
}

/** What of a session and of its runtime decides on the container. */
interface ModelRules extends ModelSettings {
  networks: 'own' | 'shared';
  privateDestinations: 'forwarded' | 'direct';
  siblings: readonly Pick<FrozenSibling, 'name' | 'port'>[];
}

/**
 * The container of the program that asks a language model for the agent
 * (docs/decisions/0056-model-access.md). It sees its own sockets alone. Throws UnsupportedWorkloadError.
 */
export function planModel(access: FrozenModelAccess, uid: number, rules: ModelRules): PlannedContainer {
  if (rules.networks === 'own') {
    refuseModelPort(rules.siblings);
  }
  const view = { directory: sessionDirectories.model, path: containerPaths.model };
  const isForwarded = rules.privateDestinations === 'forwarded';
  const { config, privateOrigin } = modelProgramOf(access, rules, {
    socketDirectory: view.path,
    hostSocket: isForwarded ? `${view.path}/${hostSocketName}` : null,
  });
  if (!isForwarded) {
    refuseOwnLoopback(privateOrigin);
  }
  return {
    name: modelContainerName,
    role: 'model',
    subject: null,
    program: { type: 'model', config },
    env: configuredEnv({ [modelKeyVariable]: access.api_key }),
    uid,
    network: 'internet',
    privateOrigin,
    view,
    report: null,
    relay: { type: 'model' },
    size: 'server',
  };
}

/** An endpoint that would be the container itself. */
function refuseOwnLoopback(privateOrigin: string | null): void {
  if (privateOrigin !== null && isLoopbackUrl(privateOrigin)) {
    throw new UnsupportedWorkloadError(
      `the agent's model access: ${new URL(privateOrigin).host} of its endpoint would be its own container here; an operator has to name an address that containers reach, and list that in PRIVATE_MCP_HOSTS`,
    );
  }
}

/** A sibling at the port that leads to the model, where both are on the agent's loopback. */
function refuseModelPort(siblings: ModelRules['siblings']): void {
  const sibling = siblings.find(({ port }) => port === modelPort);
  if (sibling !== undefined) {
    throw new UnsupportedWorkloadError(
      `the sibling "${sibling.name}": at the port ${modelPort} the agent reaches its language model; give it another one`,
    );
  }
}

/** `relay run` of an agent that has a network of its own: a port of its loopback leads to the socket. */
export const listenForModel = (): string[] => ['--listen', `${modelPort}=${agentPaths.modelSocket}`];

/** What the agent is told; null without model access. */
export const modelVariablesOf = (
  { modelDialect }: Pick<SessionDescription, 'modelDialect'>,
  isOnLoopback: boolean,
): Record<string, string> | null =>
  modelDialect === null ? null : modelVariables(modelDialect, agentPaths.modelSocket, isOnLoopback);

/** How the agent asks its model, in the variables of the dialect's clients. They hold no key. */
export function modelVariables(
  dialect: ModelDialect,
  modelSocket: string,
  isOnLoopback: boolean,
): Record<string, string> {
  const own = { MODEL_DIALECT: dialect, MODEL_UNIX_SOCKET: modelSocket };
  const base = isOnLoopback ? `http://127.0.0.1:${modelPort}` : 'http://model.invalid';
  return dialect === 'messages'
    ? { ...own, ANTHROPIC_UNIX_SOCKET: modelSocket, ANTHROPIC_BASE_URL: base, ANTHROPIC_API_KEY: 'none' }
    : { ...own, OPENAI_BASE_URL: `${base}/v1`, OPENAI_API_KEY: 'none' };
}
