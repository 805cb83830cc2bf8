import type { ActivityDependencies } from '../dependencies.ts';

/**
 * Throws unless the URL that a sidecar reported is at the address where its workload really runs. That comes
 * from the driver: a report alone could have what is sent there sent anywhere.
 */
export async function requireOwnAddress(
  { runtime }: Pick<ActivityDependencies, 'runtime'>,
  workloadId: string,
  reportedUrl: string,
): Promise<void> {
  const { protocol, hostname } = new URL(reportedUrl);
  if (protocol !== 'http:' || hostname !== (await runtime.sidecarHost(workloadId))) {
    throw new Error('the sidecar reported an address that is not its own');
  }
}
