import type { ActivityDependencies } from '../../activities/dependencies.ts';
import { createActivities } from '../../activities/index.ts';
import { startTestWorker, type TestWorker, workflowBundle } from './worker.ts';

/** A worker that runs the activities with these dependencies, as the product's does. */
export const startActivityWorker = async (
  dependencies: ActivityDependencies,
  options: { taskQueue?: string; address?: string } = {},
): Promise<TestWorker> =>
  startTestWorker({
    bundle: await workflowBundle(),
    activities: createActivities(dependencies),
    ...options,
  });
