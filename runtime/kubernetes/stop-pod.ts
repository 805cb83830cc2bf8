/** Stops a session's Pod, with everything that belongs to it. */

import { withinLimit } from '../../lib/timing/time-limit.ts';
import type { Cluster } from './cluster.ts';
import { persist } from './persist.ts';
import type { PodCache } from './pod-cache.ts';

export interface StopLimits {
  /** For one call; the stop can be retried after it. */
  stopTimeoutMs: number;
  /**
   * How long after its deletion deadline a Pod is force-deleted without its node's confirmation: the node is
   * lost, and whatever still runs on it can reach nothing of the platform with an ended session.
   */
  lostNodeTimeoutMs: number;
}

const pollIntervalMs = 1000;

/** Returns when the Pod is deleted. Idempotent. Throws when it still exists after the limit. */
export async function stopPod(
  sessionId: string,
  { cluster, cache }: { cluster: Cluster; cache: PodCache },
  { stopTimeoutMs, lostNodeTimeoutMs }: StopLimits,
): Promise<void> {
  await withinLimit(stopTimeoutMs, undefined, async (signal) => {
    while (!signal.aborted) {
      const change = cache.change(sessionId, pollIntervalMs, signal);
      const pod = await persist(() => cluster.readPod(sessionId, signal), signal);
      if (pod === null) {
        cache.forget(sessionId);
        return;
      }
      cache.put(pod);
      const { uid, deletionTimestamp } = pod.metadata;
      if (deletionTimestamp === undefined) {
        await persist(() => cluster.markStopping(sessionId, uid), signal);
        await persist(() => cluster.deletePod(sessionId, uid, null), signal);
      } else if (Date.now() > Date.parse(deletionTimestamp) + lostNodeTimeoutMs) {
        await persist(() => cluster.deletePod(sessionId, uid, 0), signal);
      }
      await change;
    }
    throw new Error(`the Pod of session ${sessionId} still exists after ${stopTimeoutMs / 1000} seconds`);
  });
}
