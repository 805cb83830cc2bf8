/** Pure: the volumes of a session, and each container's mounts of them (docs/decisions/0014). */
import {
  type ContainerSpec,
  type ContainerWorkload,
  containerUsers,
  relayDirectory,
} from '../container-workload/container-workload.ts';
import { isMountPath } from '../workload-plan/image-volumes.ts';
import { containerPaths } from '../workload-plan/workload-plan.ts';
import type { VolumePlan } from './container-plan.ts';
import { type SessionOnEngine, sessionLabels, volumeName } from './names.ts';

/** The smallest page of any machine that Linux runs on; larger ones allow more. */
const pageBytes = 4096;
/** Sockets and the agent's configuration. */
const viewBytes = 16 * 1024 * 1024;

/**
 * A file system in memory. Its size is counted in pages, since Podman treats `size` as a disk quota. Its
 * content is lost when no container mounts it.
 */
function memoryOptions(sizeBytes: number, owner: { uid: number; gid: number; mode: string }) {
  const size = `nr_blocks=${Math.max(1, Math.ceil(sizeBytes / pageBytes))}`;
  const { uid, gid, mode } = owner;
  return { type: 'tmpfs', device: 'tmpfs', o: `${size},uid=${uid},gid=${gid},mode=${mode},nosuid,nodev` };
}

const viewOptions = memoryOptions(viewBytes, {
  uid: containerUsers.sidecar,
  gid: containerUsers.group,
  mode: '2770',
});

/** Directories of the session's volume that other containers see, each a separate volume. */
const viewsOf = ({ containers }: ContainerWorkload) => [
  ...new Set(
    containers
      .flatMap(({ views }) => views.map(({ directory }) => directory))
      .filter((each) => !isRelay(each)),
  ),
];

const isRelay = (directory: string) => directory === relayDirectory;

const scratchName = (session: SessionOnEngine, container: string, name: string) =>
  volumeName(session, 'scratch', container, name);

export function renderVolumes(session: SessionOnEngine, workload: ContainerWorkload): VolumePlan[] {
  const labels = sessionLabels(session);
  const volume = (name: string, options: Record<string, string> = {}) => ({ name, labels, options });
  return [
    // What must outlive the sidecar's container: the audit spool.
    volume(volumeName(session, 'session')),
    volume(volumeName(session, 'boot')),
    volume(volumeName(session, 'bin')),
    ...viewsOf(workload).map((directory) => volume(volumeName(session, 'view', directory), viewOptions)),
    ...workload.containers.flatMap(({ name, uid, scratch }) =>
      scratch.map((each) => scratchVolume(session, { ...each, container: name, uid })),
    ),
  ];
}

/** Writable by one container's user alone. */
export function scratchVolume(
  session: SessionOnEngine,
  { container, uid, name, sizeBytes }: { container: string; uid: number; name: string; sizeBytes: number },
): VolumePlan {
  return {
    name: scratchName(session, container, name),
    labels: sessionLabels(session),
    options: memoryOptions(sizeBytes, { uid, gid: uid, mode: '0700' }),
  };
}

/** The image of the sidecar fills what it mounts: owner and mode of its directories, and the relay. */
export function sidecarBinds(session: SessionOnEngine, workload: ContainerWorkload): string[] {
  return [
    bind(volumeName(session, 'session'), containerPaths.session, 'filled'),
    bind(volumeName(session, 'boot'), containerPaths.bootDirectory, 'filled'),
    bind(volumeName(session, 'bin'), containerPaths.relayDirectory, 'filled'),
    ...viewsOf(workload).map((directory) =>
      bind(volumeName(session, 'view', directory), `${containerPaths.session}/${directory}`, 'writable'),
    ),
  ];
}

export function containerBinds(session: SessionOnEngine, spec: ContainerSpec): string[] {
  return [
    ...spec.views.map(({ directory, path }) =>
      isRelay(directory)
        ? bind(volumeName(session, 'bin'), path, 'read-only')
        : bind(volumeName(session, 'view', directory), path, 'read-only'),
    ),
    ...spec.scratch.map(({ name, path }) => bind(scratchName(session, spec.name, name), path, 'writable')),
  ];
}

const modes = { filled: 'rw', writable: 'rw,nocopy', 'read-only': 'ro,nocopy' } as const;

/**
 * A volume at a path. With `filled`, the image's content there is copied into the empty volume; only for the
 * sidecar: any other image could plant what the sidecar trusts. (Podman honours `nocopy` here, but not in a
 * mount of the API's newer form.)
 */
export function bind(volume: string, path: string, mode: keyof typeof modes): string {
  if (!isMountPath(path)) {
    throw new Error(`${path} cannot be a path in a container`);
  }
  return `${volume}:${path}:${modes[mode]}`;
}
