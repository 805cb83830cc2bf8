import { readReportedUrl, publishService as storeAddress } from '../../store/previews/services.ts';
import type { ActivityDependencies } from '../dependencies.ts';

/**
 * Lets the API ask the service where its gateway reported that it listens. Throws while that is not the workload's own address, so that the
 * workflow retries. Idempotent. A run that continues another has nothing to publish when no gateway has reported.
 */
export async function publishService(
  { db, runtime }: ActivityDependencies,
  { previewId }: { previewId: string },
): Promise<void> {
  const reported = await readReportedUrl(db, previewId);
  if (reported === null) {
    return;
  }
  const { protocol, hostname, origin } = new URL(reported);
  // The address comes from the driver: a report alone could have what people send to the service sent anywhere.
  if (protocol !== 'http:' || hostname !== (await runtime.sidecarHost(previewId))) {
    throw new Error('the gateway of a service reported an address that is not its own');
  }
  await storeAddress(db, previewId, origin);
}
