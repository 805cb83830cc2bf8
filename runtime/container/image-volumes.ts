/** Pure: paths that an image declares as volumes. An engine would give each a directory on its disk, without a limit. */
import { containerPaths } from '../container-workload/container-workload.ts';
import { WorkloadFailedError } from '../workload.ts';
import type { ContainerPlan, VolumePlan } from './container-plan.ts';
import type { SessionOnEngine } from './names.ts';
import { mountOf, scratchVolume } from './render-volumes.ts';

const ofPlatform = [
  containerPaths.session,
  containerPaths.bootDirectory,
  containerPaths.platform,
  containerPaths.relayDirectory,
];

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
  const mounted = new Set(body.HostConfig.Mounts.map(({ Target }) => Target));
  const uncovered = paths.filter((path) => !mounted.has(path.replace(/\/+$/, '')));
  if (spec === null || spec.role === 'sidecar' || uncovered.length === 0) {
    return { plan, volumes: [] };
  }
  const taken = uncovered.find((path) => ofPlatform.some((own) => `${path}/`.startsWith(`${own}/`)));
  if (taken !== undefined) {
    throw new WorkloadFailedError(
      `the image ${plan.image.reference} declares a volume at ${taken}, which is the platform's`,
    );
  }
  const covers = uncovered.map((target, index) => ({
    target,
    volume: scratchVolume(session, {
      container: spec.name,
      uid: spec.uid,
      path: `/image.${index}`,
      sizeBytes,
    }),
  }));
  const Mounts = [
    ...body.HostConfig.Mounts,
    ...covers.map(({ target, volume }) => mountOf(volume, { target, readOnly: false, filled: false })),
  ];
  return {
    plan: { ...plan, body: { ...body, HostConfig: { ...body.HostConfig, Mounts } } },
    volumes: covers.map(({ volume }) => volume),
  };
}
