import {
  markServiceStarting,
  readServiceConfiguration,
  readServiceDemand,
} from '../../store/previews/services.ts';
import type { ActivityDependencies } from '../dependencies.ts';
import { launchRefused } from '../failures.ts';
import { renderOrRefuse, requirePlace } from '../sessions/validate-launch.ts';
import { launch, useExposedSecrets } from '../workloads/start-workload.ts';

/**
 * Starts the workload of a service, as that of a session. Idempotent: the driver starts it once. Says whether
 * it is wanted; nothing is started for one that is not. Throws `launch_refused` for what the runtime cannot
 * run, and for a secret that the agent may not hold any more.
 */
export async function startService(
  dependencies: ActivityDependencies,
  { previewId }: { previewId: string },
): Promise<{ isWanted: boolean }> {
  const { db, runtime, limits } = dependencies;
  const demand = await readServiceDemand(db, previewId);
  if (demand === null || !demand.isWanted) {
    return { isWanted: false };
  }
  const configuration = await readServiceConfiguration(db, previewId);
  if (configuration === null) {
    throw launchRefused('The service has no frozen configuration');
  }
  await requirePlace(db, previewId, limits.WORKER_MAX_SESSIONS);
  const spec = renderOrRefuse(runtime, configuration);
  // The grants are those of the session, whose agent has the service.
  await useExposedSecrets(dependencies, demand.sessionId, configuration);
  await launch(dependencies, { configuration, spec, recordStart: () => markServiceStarting(db, previewId) });
  return { isWanted: true };
}
