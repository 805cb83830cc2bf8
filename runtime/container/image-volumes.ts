/** Pure: paths that an image declares as volumes. An engine would give each a directory on its disk, without a limit. */
import { defaultImageLimits } from '../../oci/limits.ts';
import { containerPaths } from '../container-workload/container-workload.ts';
import { WorkloadFailedError } from '../workload.ts';
import type { ContainerPlan, VolumePlan } from './container-plan.ts';
import type { SessionOnEngine } from './names.ts';
import { bind, isBindPath, scratchVolume } from './render-volumes.ts';

const ofPlatform = [
  containerPaths.session,
  containerPaths.bootDirectory,
  containerPaths.platform,
  containerPaths.relayDirectory,
];

/** The same bound as where images are read, kept where they run. Each is a file system of its own. */
const mostVolumes = defaultImageLimits.volumes;

export interface PlanWithVolumes {
  plan: ContainerPlan;
  volumes: VolumePlan[];
}

/** The container with empty scratch in memory at each path. Throws WorkloadFailedError for a path that is the platform's. */
export function coverImageVolumes(
  plan: ContainerPlan,
  paths: readonly string[],
  { session, sizeBytes }: { session: SessionOnEngine; sizeBytes: number },
): PlanWithVolumes {
  const { spec, body } = plan;
  if (spec === null || spec.role === 'sidecar') {
    return { plan, volumes: [] };
  }
  const covered = new Set([...spec.views, ...spec.scratch].map(({ path }) => path));
  const targets = [...new Set(paths.map(withoutSlash))].filter((path) => !covered.has(path));
  if (targets.length > mostVolumes) {
    throw new WorkloadFailedError(
      `the image ${plan.image.reference} declares ${targets.length} volumes, and ${mostVolumes} are the most`,
    );
  }
  const refused = targets.find((path) => !isBindPath(path) || isOfPlatform(path));
  if (refused !== undefined) {
    throw new WorkloadFailedError(
      `the image ${plan.image.reference} declares a volume at ${JSON.stringify(refused)}, where there can be none`,
    );
  }
  const volumes = targets.map((_, index) =>
    scratchVolume(session, { container: spec.name, uid: spec.uid, path: `/image.${index}`, sizeBytes }),
  );
  const added = volumes.map(({ name }, index) => bind(name, targets[index] ?? '', 'writable'));
  const Binds = [...body.HostConfig.Binds, ...added];
  return { plan: { ...plan, body: { ...body, HostConfig: { ...body.HostConfig, Binds } } }, volumes };
}

const withoutSlash = (path: string) => path.replace(/\/+$/, '');

/** Also when it is below or above a path of the platform's. */
function isOfPlatform(path: string): boolean {
  return ofPlatform.some((own) => `${path}/`.startsWith(`${own}/`) || `${own}/`.startsWith(`${path}/`));
}
