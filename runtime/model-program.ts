/** Pure: what the model program of a session runs with, and how the agent reaches it, on every runtime. */
import { isLoopbackUrl } from '../config/parse.ts';
import { type ModelProgramConfig, modelKeyVariable } from '../contract/model-program.ts';
import type { FrozenEnv, FrozenModelAccess, FrozenSibling } from '../contract/session.ts';
import { type PrivateHosts, privateOriginOf } from './bridge-config.ts';
import { UnsupportedWorkloadError } from './workload.ts';

/** Its container. */
export const modelContainerName = 'model';

/**
 * Its command but for its one argument. Two requests of 32 MiB are taken at a time, and a text that is not Latin has two bytes a character in memory: a
 * heap without a bound, which a sandbox without control groups has, outgrows the memory of the container before it is cleared up.
 */
export const modelCommand = (node: string, program: string): string[] => [
  node,
  '--max-old-space-size=256',
  program,
];

/** On the agent's own loopback, where it has one, for programs that know TCP alone. */
const modelPort = 7071;

export interface ModelSettings {
  /** Of the endpoint: the operator's MODEL_BASE_URL. */
  modelBaseUrl: string;
  privateHosts: PrivateHosts;
}

export interface ModelPlace {
  /** The directory of the program's sockets, as its container sees it. */
  socketDirectory: string;
  /** A socket where the runtime forwards to the endpoint when that is a private host; null where the container reaches it itself. */
  hostSocket: string | null;
}

export interface ModelProgram {
  config: ModelProgramConfig;
  /** Scheme, host and port of an endpoint with a private address; null for one of the internet. */
  privateOrigin: string | null;
}

export function modelProgramOf(
  { models }: Pick<FrozenModelAccess, 'models'>,
  { modelBaseUrl, privateHosts }: ModelSettings,
  { socketDirectory, hostSocket }: ModelPlace,
): ModelProgram {
  const privateOrigin = privateOriginOf({ url: modelBaseUrl }, privateHosts);
  const { host } = new URL(modelBaseUrl);
  const scheme = privateHosts.get(host);
  return {
    config: {
      base_url: modelBaseUrl,
      models,
      socket_directory: socketDirectory,
      private_hosts: privateOrigin !== null && scheme !== undefined ? { [host]: scheme } : {},
      ...(privateOrigin !== null && hostSocket !== null ? { host_socket: hostSocket } : {}),
    },
    privateOrigin,
  };
}

/** Throws UnsupportedWorkloadError for an endpoint that would be the container itself. */
export function refuseOwnLoopback({ privateOrigin }: ModelProgram): void {
  if (privateOrigin !== null && isLoopbackUrl(privateOrigin)) {
    throw new UnsupportedWorkloadError(
      `the agent's model access: ${new URL(privateOrigin).host} of MODEL_BASE_URL would be its own container here; an operator has to name an address that containers reach, and list that in PRIVATE_MCP_HOSTS`,
    );
  }
}

/** Throws UnsupportedWorkloadError for a sibling at the port that leads to the model, where both are on the agent's loopback. */
export function refuseModelPort(siblings: readonly Pick<FrozenSibling, 'name' | 'port'>[]): void {
  const sibling = siblings.find(({ port }) => port === modelPort);
  if (sibling !== undefined) {
    throw new UnsupportedWorkloadError(
      `the sibling "${sibling.name}": at the port ${modelPort} the agent reaches its language model; give it another one`,
    );
  }
}

/** The program's own variables before its launch. */
export const modelEnv = ({ api_key }: Pick<FrozenModelAccess, 'api_key'>): FrozenEnv => ({
  [modelKeyVariable]: api_key,
});

/** `relay run` of an agent that has a network of its own: a port of its loopback leads to the socket. */
export const listenForModel = (modelSocket: string): string[] => ['--listen', `${modelPort}=${modelSocket}`];

/** How the agent asks its model, in the variables of the clients of the Messages API. They hold no key. */
export function modelVariables(modelSocket: string, isOnLoopback: boolean): Record<string, string> {
  return {
    ANTHROPIC_UNIX_SOCKET: modelSocket,
    ANTHROPIC_BASE_URL: isOnLoopback ? `http://127.0.0.1:${modelPort}` : 'http://model.invalid',
    ANTHROPIC_API_KEY: 'none',
  };
}
