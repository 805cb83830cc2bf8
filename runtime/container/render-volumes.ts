/** Pure: the volumes of a session, and what of them each container sees (docs/decisions/0014). */
import {
  type ContainerSpec,
  type ContainerWorkload,
  containerPaths,
  containerUsers,
  volumeDirectories,
} from '../container-workload/container-workload.ts';
import type { VolumeMount, VolumePlan } from './container-plan.ts';
import { type SessionOnEngine, sessionLabels, volumeName } from './names.ts';

/** The smallest page of any machine that Linux runs on; larger ones allow more. */
const pageBytes = 4096;
/** Sockets and the agent's configuration. */
const viewBytes = 16 * 1024 * 1024;

/**
 * A file system in memory. Its size is counted in pages, since Podman takes `size` for a quota of the disk. It is gone when no
 * container has it mounted.
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

/** Directories of the session's volume that are another container's view, each a volume of its own. */
const viewsOf = ({ containers }: ContainerWorkload) => [
  ...new Set(
    containers
      .flatMap(({ views }) => views.map(({ directory }) => directory))
      .filter((each) => !isRelay(each)),
  ),
];

const isRelay = (directory: string) => directory === volumeDirectories.relay;

export const scratchName = (session: SessionOnEngine, container: string, path: string) =>
  volumeName(session, 'scratch', container, path.slice(1));

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
      scratch.map(({ path, sizeBytes }) => scratchVolume(session, { container: name, uid, path, sizeBytes })),
    ),
  ];
}

/** Writable by one container's user alone. */
export function scratchVolume(
  session: SessionOnEngine,
  { container, uid, path, sizeBytes }: { container: string; uid: number; path: string; sizeBytes: number },
): VolumePlan {
  return {
    name: scratchName(session, container, path),
    labels: sessionLabels(session),
    options: memoryOptions(sizeBytes, { uid, gid: uid, mode: '0700' }),
  };
}

/** The image of the sidecar fills what it mounts: owner and mode of its directories, and the relay. */
export function sidecarMounts(
  volumes: VolumePlan[],
  session: SessionOnEngine,
  workload: ContainerWorkload,
): VolumeMount[] {
  const mount = mounting(volumes);
  return [
    mount(volumeName(session, 'session'), containerPaths.session, { filled: true }),
    mount(volumeName(session, 'boot'), containerPaths.bootDirectory, { filled: true }),
    mount(volumeName(session, 'bin'), containerPaths.relayDirectory, { filled: true }),
    ...viewsOf(workload).map((directory) =>
      mount(volumeName(session, 'view', directory), `${containerPaths.session}/${directory}`, {}),
    ),
  ];
}

export function containerMounts(
  volumes: VolumePlan[],
  session: SessionOnEngine,
  spec: ContainerSpec,
): VolumeMount[] {
  const mount = mounting(volumes);
  return [
    ...spec.views.map(({ directory, path }) =>
      mount(isRelay(directory) ? volumeName(session, 'bin') : volumeName(session, 'view', directory), path, {
        readOnly: true,
      }),
    ),
    ...spec.scratch.map(({ path }) => mount(scratchName(session, spec.name, path), path, {})),
  ];
}

function mounting(volumes: VolumePlan[]) {
  return (
    name: string,
    target: string,
    { readOnly = false, filled = false }: { readOnly?: boolean; filled?: boolean },
  ): VolumeMount => {
    const volume = volumes.find((each) => each.name === name);
    if (volume === undefined) {
      throw new Error(`the session has no volume ${name}`);
    }
    return mountOf(volume, { target, readOnly, filled });
  };
}

export function mountOf(
  { name, labels, options }: VolumePlan,
  { target, readOnly, filled }: { target: string; readOnly: boolean; filled: boolean },
): VolumeMount {
  return {
    Type: 'volume',
    Source: name,
    Target: target,
    ReadOnly: readOnly,
    VolumeOptions: { NoCopy: !filled, Labels: labels, DriverConfig: { Name: 'local', Options: options } },
  };
}
