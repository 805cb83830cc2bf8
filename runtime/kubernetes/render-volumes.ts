/** Pure: a session's volumes, and each container's mounts of them. */
import type { V1Volume, V1VolumeMount } from '@kubernetes/client-node';
import {
  type ContainerScratch,
  type ContainerSpec,
  type ContainerWorkload,
  relayDirectory,
} from '../container-workload/container-workload.ts';
import { containerPaths } from '../workload-plan/workload-plan.ts';
import { bootSecretName } from './names.ts';
import { relayDirectoryOf } from './relay-path.ts';

const sessionVolume = 'session';
const bootVolume = 'boot';
/** The file's group is the Pod's, and the sidecar alone mounts it. */
const bootFileMode = 0o440;

/**
 * The containers of a Pod would share one, and could exchange sockets through it, bypassing the gate and the
 * relay. As large as the one it replaces; its content counts as the container's memory.
 */
const sharedMemory = { name: 'devshm', path: '/dev/shm', sizeBytes: 64 * 1024 * 1024 };

const scratchVolume = (container: string, name: string) => `${container}-${name}`;

/** None where the image declares a volume there: that one is private to the container as well. */
const sharedMemoryBeside = (scratch: readonly ContainerScratch[]): ContainerScratch[] =>
  scratch.some(({ path }) => path === sharedMemory.path) ? [] : [sharedMemory];

export function renderVolumes(
  { containers, sessionId }: ContainerWorkload,
  { sessionVolumeBytes, launch }: { sessionVolumeBytes: number; launch: string },
): V1Volume[] {
  return [
    { name: sessionVolume, emptyDir: { sizeLimit: String(sessionVolumeBytes) } },
    {
      name: bootVolume,
      secret: { secretName: bootSecretName(sessionId, launch), defaultMode: bootFileMode },
    },
    ...containers.flatMap(({ name, scratch }) => [
      ...scratch.map((each) => ({
        name: scratchVolume(name, each.name),
        emptyDir: { sizeLimit: String(each.sizeBytes) },
      })),
      ...sharedMemoryBeside(scratch).map((each) => ({
        name: scratchVolume(name, each.name),
        emptyDir: { medium: 'Memory', sizeLimit: String(each.sizeBytes) },
      })),
    ]),
  ];
}

export function renderMounts({ name, role, views, scratch }: ContainerSpec, launch: string): V1VolumeMount[] {
  const processOne = { directory: relayDirectory, path: relayDirectoryOf(launch) };
  const ofSidecar: V1VolumeMount[] = [
    { name: sessionVolume, mountPath: containerPaths.session },
    { name: bootVolume, mountPath: containerPaths.bootDirectory, readOnly: true },
  ];
  return [
    ...(role === 'sidecar' ? ofSidecar : []),
    ...(role === 'sidecar' ? [] : [processOne, ...views]).map(({ directory, path }) => ({
      name: sessionVolume,
      mountPath: path,
      subPath: directory,
      readOnly: true,
    })),
    ...[...scratch, ...sharedMemoryBeside(scratch)].map((each) => ({
      name: scratchVolume(name, each.name),
      mountPath: each.path,
    })),
  ];
}
