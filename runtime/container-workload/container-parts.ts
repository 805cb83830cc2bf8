/** Pure: what the containers of a session have in common, and the settings that they are rendered with. */
import { agentPaths } from '../../contract/agent-paths.ts';
import type { PrivateHosts } from '../bridge-config.ts';
import { modelVariables } from '../model-program.ts';
import type { BootSettings, ServiceDescription, SessionDescription } from '../render-boot.ts';
import { reportSocketIn, siblingsEnvironment } from '../siblings.ts';
import {
  type ContainerVariable,
  type PlatformVariables,
  packageVariables,
  plannedSecrets,
} from '../variables.ts';
import type { Network } from '../workload.ts';
import {
  type ContainerScratch,
  type ContainerSize,
  type ContainerView,
  containerPaths,
  volumeDirectories,
} from './container-workload.ts';
import { volumesToCover } from './image-volumes.ts';
import type { Program } from './programs.ts';

export interface ContainerSettings extends BootSettings {
  /** `claude`: null where no operator named one. */
  images: { sidecar: string; scripted: string; runner: string; claude: string | null };
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

/** Settings of one session. */
export interface Rendering extends ContainerSettings {
  sessionId: string;
  /** Null for a session. */
  service: ServiceDescription | null;
  hasModelAccess: boolean;
  siblings: SessionDescription['siblings'];
}

export const relayView: ContainerView = {
  directory: volumeDirectories.relay,
  path: containerPaths.relayDirectory,
};

export const reportView = (container: string): ContainerView => ({
  directory: volumeDirectories.report(container),
  path: containerPaths.report,
});

/** Where process 1 reports on its command, and which values it redacts: their names, since the values are in its environment. */
export function reporting(directory: string, env: readonly ContainerVariable[]): string[] {
  return [
    ...['--report', reportSocketIn(directory)],
    ...plannedSecrets(env).flatMap((name) => ['--secret', name]),
  ];
}

/** Caps file size at the largest volume: some files of a container, like its termination log, are covered by no other limit. */
export function narrowing(
  network: Network,
  { networks, workspaceBytes, temporaryBytes, service }: Rendering,
  { listens = service !== null } = {},
): string[] {
  const narrowed = networks === 'shared' ? network === 'none' : network === 'internet';
  // Without a network a service, or a sibling with a port, still takes the connections of its relay.
  const none = listens ? 'listen' : 'none';
  return [
    ...(narrowed ? ['--network', networks === 'shared' ? none : 'fenced'] : []),
    '--file-size',
    String(Math.max(workspaceBytes, temporaryBytes)),
  ];
}

/** Volumes that an image declares become scratch space too, of the size of `/tmp`. */
export function scratchOf(
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

export function platformVariables(
  network: Network,
  { sessionId, service, hasModelAccess, siblings, networks }: Rendering,
): PlatformVariables {
  const { config, sidecarSocket, modelSocket } = agentPaths;
  return {
    sessionId,
    paths: { workspace: containerPaths.workspace, config, sidecarSocket },
    searchPath: null,
    packages: packageVariables(network, sourcesOfImage),
    service,
    model: hasModelAccess ? modelVariables(modelSocket, networks === 'own') : null,
    siblings: siblingsEnvironment(siblings, networks === 'own'),
  };
}
