/** Where process 1 of a container comes from: a path that its image cannot know. */
import { type ContainerSpec, containerPaths } from '../container-workload/container-workload.ts';
import { launchId } from './names.ts';

/**
 * The relay of one launch, beside the one at the path of the contract. A container runtime puts what an image declares as a volume,
 * filled from the image, wherever a link of that image leads: also over the relay, which the network of the container rests on. The
 * image is pinned before the launch is numbered, so nothing in it leads here.
 */
export const relayDirectoryOf = (launch: string): string => `/opt/platform-${launchId.parse(launch)}`;

/** The sidecar's image is the platform's own, and has the relay itself. */
export function startedByRelayOf(launch: string, { role, argv }: Pick<ContainerSpec, 'role' | 'argv'>) {
  const [relay, ...rest] = argv;
  if (relay !== containerPaths.relay) {
    throw new Error('process 1 of a container is the relay');
  }
  return role === 'sidecar' ? argv : [`${relayDirectoryOf(launch)}/relay`, ...rest];
}
