/**
 * Pure: the volumes that an image on the engine declares and the plan does not cover yet; the platform's
 * own images have no record.
 */

import { UnsupportedWorkloadError, WorkloadFailedError } from '../workload.ts';
import { volumesToCover } from '../workload-plan/image-volumes.ts';
import type { ContainerPlan, VolumePlan } from './container-plan.ts';
import type { SessionOnEngine } from './names.ts';
import { bind, scratchVolume } from './render-volumes.ts';

export interface PlanWithVolumes {
  plan: ContainerPlan;
  volumes: VolumePlan[];
}

/**
 * The container with empty scratch in memory at each path. Throws WorkloadFailedError for a reserved path.
 */
export function coverImageVolumes(
  plan: ContainerPlan,
  declared: readonly string[],
  { session, sizeBytes }: { session: SessionOnEngine; sizeBytes: number },
): PlanWithVolumes {
  const { spec, body } = plan;
  if (spec === null || spec.role === 'sidecar') {
    return { plan, volumes: [] };
  }
  const covered = [...spec.views, ...spec.scratch].map(({ path }) => path);
  const paths = pathsOf(plan.image.reference, declared, covered);
  const volumes = paths.map((_, index) =>
    scratchVolume(session, { container: spec.name, uid: spec.uid, name: `found-${index}`, sizeBytes }),
  );
  const added = volumes.map(({ name }, index) => bind(name, paths[index] ?? '', 'writable'));
  const Binds = [...body.HostConfig.Binds, ...added];
  return { plan: { ...plan, body: { ...body, HostConfig: { ...body.HostConfig, Binds } } }, volumes };
}

function pathsOf(...image: Parameters<typeof volumesToCover>): string[] {
  try {
    return volumesToCover(...image);
  } catch (error) {
    throw error instanceof UnsupportedWorkloadError ? new WorkloadFailedError(error.message) : error;
  }
}
