import type { ServiceEnding } from '../../contract/workflows.ts';
import { readServiceDemand } from '../../store/previews/services.ts';
import type { ActivityDependencies } from '../dependencies.ts';
import { exitOf, isRestarting } from '../workloads/workload-exit.ts';
import { serviceEndingOf, serviceStopped } from './service-ending.ts';

export interface ServiceLook {
  previewId: string;
  /** Before its start nothing is expected to run. */
  isStarted: boolean;
  /** For how long its gateway has been restarting at the last look. */
  restartingForMs: number;
}

export interface ServiceFindings {
  /** Null: the service goes on. */
  ending: ServiceEnding | null;
  isRestarting: boolean;
  /** When its preview expires. */
  lookAgainInMs: number;
}

/**
 * Whether the service is still wanted, and still runs. Only what this returns ends it, however a change
 * was noticed. Reads only.
 */
export async function lookAtService(
  { db, runtime }: ActivityDependencies,
  { previewId, isStarted, restartingForMs }: ServiceLook,
): Promise<ServiceFindings> {
  const demand = await readServiceDemand(db, previewId);
  if (demand === null || !demand.isWanted) {
    return { ending: serviceStopped, isRestarting: false, lookAgainInMs: 0 };
  }
  const found = { ending: null, isRestarting: false, lookAgainInMs: demand.remainingMs };
  if (!isStarted) {
    return found;
  }
  const state = await runtime.inspect(previewId);
  const exit = exitOf(state, isRestarting(state) ? restartingForMs : 0);
  return {
    ...found,
    ending: exit === null ? null : serviceEndingOf(exit),
    isRestarting: isRestarting(state),
  };
}
