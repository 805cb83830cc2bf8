/**
 * One launch of each kind, from the first request to the same end. What was launched is
 * removed when it returns.
 */
import { randomBytes, randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import pino from 'pino';
import { createKubernetesRuntime } from '../../runtime/kubernetes/driver.ts';
import { sessionSelector } from '../../runtime/kubernetes/names.ts';
import { createPodCache } from '../../runtime/kubernetes/pod-cache.ts';
import { limitMs, removePod, untilHeard, untilRunning } from './ends.ts';
import type { Place } from './place.ts';
import { renderAtOnce, renderBare, secretsFor, sessionWith } from './session.ts';
import { recorded, type Timeline, Timelines } from './timeline.ts';

export const kinds = ['session', 'at once', 'bare'] as const;
export type Kind = (typeof kinds)[number];

export interface Launches {
  launch(kind: Kind): Promise<Timeline>;
  close(): void;
}

/**
 * The Pod's resources are removed in this time too, and the node becomes idle. A kubelet checks its
 * containers once a second, so that a Pod's removal, and with it a launch, ends in step with it: without a
 * random part every launch would begin in that step too.
 */
const settleMs = 1000;
const kubeletPeriodMs = 1000;
const logger = pino({ level: 'silent' });

export function openLaunches(place: Place, servers: number): Launches {
  const { reports } = place;
  const timelines = new Timelines();
  const cluster = recorded(place.cluster, timelines);
  const secrets = secretsFor(servers);
  const runtime = createKubernetesRuntime({ ...place, cluster, startTimeoutMs: limitMs, logger });
  // Compared Pods are no sessions of the runtime, and are watched the same way.
  const settings = { ...place.settings, installation: 'bench-compared' };
  const cache = createPodCache(cluster, { selector: sessionSelector(settings.installation), logger });
  const prepare = () => runtime.render(sessionWith(servers, randomUUID(), reports.url));

  const launchSession = async (): Promise<Timeline> => {
    const workload = prepare();
    const { sessionId } = workload;
    timelines.startClock(sessionId);
    const started = runtime.start(workload, secrets).then(() => timelines.reach(sessionId, 'start returns'));
    await Promise.all([started, untilHeard(reports, timelines, sessionId)]);
    timelines.reach(sessionId, 'launched');
    await removePod(place.cluster, sessionId);
    await runtime.stop(sessionId);
    return timelines.of(sessionId);
  };

  const launchPod = async (render: typeof renderBare): Promise<Timeline> => {
    const workload = prepare();
    const { sessionId } = workload;
    const manifests = render(workload, secrets, settings, randomBytes(4).toString('hex'));
    await Promise.all(manifests.secrets.map((secret) => cluster.createSecret(secret)));
    timelines.startClock(sessionId);
    await cluster.createPod(manifests.pod);
    await Promise.all([untilRunning(cache, sessionId), untilHeard(reports, timelines, sessionId)]);
    timelines.reach(sessionId, 'launched');
    await removePod(place.cluster, sessionId);
    cache.forget(sessionId);
    const names = manifests.secrets.map(({ metadata }) => metadata?.name ?? '');
    await Promise.all(names.map((name) => cluster.deleteSecret(name)));
    return timelines.of(sessionId);
  };

  const byKind: Record<Kind, () => Promise<Timeline>> = {
    session: launchSession,
    'at once': () => launchPod(renderAtOnce),
    bare: () => launchPod(renderBare),
  };
  return {
    async launch(kind) {
      const timeline = await byKind[kind]();
      await sleep(settleMs + Math.random() * kubeletPeriodMs);
      return timeline;
    },
    close() {
      runtime.close();
      cache.close();
    },
  };
}
