/** The path of process 1 of a container, which its image cannot know. */
import type { ContainerSpec } from '../container-workload/container-workload.ts';
import { containerPaths } from '../workload-plan/workload-plan.ts';
import { launchId } from './names.ts';

/**
 * The relay of one launch, beside the one at the path of the contract. A container runtime mounts a
 * volume that an image declares, filled from the image, wherever a link of that image leads: even over
 * the relay, which enforces the container's network. The image is pinned before the launch is numbered,
 * so nothing in it can point here.
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
