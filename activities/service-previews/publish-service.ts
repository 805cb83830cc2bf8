import { readReportedUrl, publishService as storeAddress } from '../../store/previews/services.ts';
import type { ActivityDependencies } from '../dependencies.ts';
import { requireOwnAddress } from '../workloads/require-own-address.ts';

/**
 * Lets the API ask the service where its gateway reported that it listens. Throws while that is not the
 * workload's own address, so that the workflow retries. Idempotent. A run that continues another has nothing
 * to publish when no gateway has reported.
 */
export async function publishService(
  dependencies: ActivityDependencies,
  { previewId }: { previewId: string },
): Promise<void> {
  const { db } = dependencies;
  const reported = await readReportedUrl(db, previewId);
  if (reported === null) {
    return;
  }
  await requireOwnAddress(dependencies, previewId, reported);
  await storeAddress(db, previewId, new URL(reported).origin);
}
