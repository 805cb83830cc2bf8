/** The ends of a launch, as its caller sees them, and the removal of what was launched. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Cluster } from '../../runtime/kubernetes/cluster.ts';
import type { PodCache } from '../../runtime/kubernetes/pod-cache.ts';
import { startProgress } from '../../runtime/kubernetes/start-progress.ts';
import type { Reports } from '../../test/integration/runtime/reports.ts';
import { agentRoute } from './session.ts';
import type { Milestone, Timelines } from './timeline.ts';

export const limitMs = 60_000;
const pollIntervalMs = 2;
const goneIntervalMs = 50;
const graceSeconds = 1;

/**
 * Waits for what the watch shows, as the driver does. Throws when the Pod fails, or does
 * not run within the limit.
 */
export async function untilRunning(cache: PodCache, sessionId: string): Promise<void> {
  const deadline = Date.now() + limitMs;
  for (;;) {
    const change = cache.change(sessionId, limitMs);
    const pod = cache.get(sessionId);
    const progress = pod === undefined ? null : startProgress(pod);
    if (progress?.state === 'started') {
      return;
    }
    if (progress?.state === 'failed' || Date.now() > deadline) {
      throw new Error(`the Pod did not start: ${JSON.stringify(progress)}`);
    }
    await change;
  }
}

/**
 * Until the sidecar has reported and the agent's program has made its request. Throws when
 * the limit is over before.
 */
export async function untilHeard(reports: Reports, timelines: Timelines, sessionId: string): Promise<void> {
  const hear = async (route: string, milestone: Milestone) => {
    const deadline = Date.now() + limitMs;
    while (reports.of(sessionId, route).length === 0) {
      if (Date.now() > deadline) {
        throw new Error(`the launch did not get to this: ${milestone}`);
      }
      await sleep(pollIntervalMs);
    }
    timelines.reach(sessionId, milestone);
  };
  await Promise.all([hear(agentRoute, 'agent speaks'), hear('ready', 'sidecar ready')]);
}

/** Does not wait for a session's final output: there is none. */
export async function removePod(cluster: Cluster, sessionId: string): Promise<void> {
  const pod = await cluster.readPod(sessionId);
  if (pod !== null) {
    await cluster.deletePod(sessionId, pod.metadata.uid, graceSeconds);
  }
  const deadline = Date.now() + limitMs;
  while ((await cluster.readPod(sessionId)) !== null) {
    if (Date.now() > deadline) {
      throw new Error('the Pod was deleted and does not go');
    }
    await sleep(goneIntervalMs);
  }
}
