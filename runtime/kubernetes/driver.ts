/** The workload interface on a Kubernetes cluster: one Pod per session (design 12, docs/decisions/0013). */
import { isIPv4 } from 'node:net';
import type { Logger } from 'pino';
import { z } from 'zod';
import type { FrozenConfiguration } from '../../contract/session.ts';
import type { ContainerWorkload } from '../container-workload/container-workload.ts';
import {
  type ContainerSettings,
  renderContainerWorkload,
} from '../container-workload/render-container-workload.ts';
import { createTurns } from '../in-turn.ts';
import type { Runtime, WorkloadState } from '../workload.ts';
import type { Cluster } from './cluster.ts';
import { describePod } from './describe-pod.ts';
import { checkEgress } from './egress-rule.ts';
import { sessionSelector } from './names.ts';
import { type Pod, sessionOf } from './pod.ts';
import { createPodCache } from './pod-cache.ts';
import type { KubernetesSettings } from './settings.ts';
import { startPod } from './start-pod.ts';
import { type StopLimits, stopPod } from './stop-pod.ts';

export interface KubernetesRuntimeOptions extends Partial<StopLimits> {
  cluster: Cluster;
  settings: KubernetesSettings;
  containers: ContainerSettings;
  startTimeoutMs: number;
  logger: Logger;
}

export interface KubernetesRuntime extends Runtime<ContainerWorkload> {
  /** Ends the watch. Sessions go on. */
  close(): void;
}

/** A container name that is safe in a query. */
const containerName = z.string().regex(/^[a-z0-9-]+$/);
const defaultLimits: StopLimits = { stopTimeoutMs: 50_000, lostNodeTimeoutMs: 60_000 };

/** Does not wait for the cluster: calls made while it is unreachable take longer, or fail. */
export function createKubernetesRuntime(options: KubernetesRuntimeOptions): KubernetesRuntime {
  const { cluster, settings, logger } = options;
  const selector = sessionSelector(settings.installation);
  const cache = createPodCache(cluster, { selector, logger });
  const limits = { ...defaultLimits, ...options };
  const inTurn = createTurns();
  const starting = new Map<string, Set<AbortController>>();
  const find = async (sessionId: string): Promise<Pod | null> =>
    cache.get(sessionId) ?? (await cluster.readPod(sessionId));

  return {
    name: 'kubernetes',
    render: (configuration) => render(configuration, options),
    start: (workload, secrets, signal) =>
      whileStarting(starting, workload.sessionId, signal, (cancelled) =>
        inTurn(workload.sessionId, async () => {
          cancelled.throwIfAborted();
          await startPod(workload, secrets, { ...options, cache }, cancelled);
        }),
      ),
    async stop(sessionId) {
      // Aborts a start that is in progress.
      for (const each of starting.get(sessionId) ?? []) {
        each.abort(new Error('it was stopped while it started'));
      }
      await inTurn(sessionId, () => stopPod(sessionId, { cluster, cache }, limits));
    },
    async inspect(sessionId): Promise<WorkloadState> {
      const pod = await find(sessionId);
      const reason = cache.whyGone(sessionId);
      if (pod !== null) {
        return describePod(pod);
      }
      return reason === undefined ? { state: 'absent' } : { state: 'lost', reason };
    },
    async sidecarHost(sessionId) {
      const pod = await find(sessionId);
      const addresses = [pod?.status.podIP ?? '', ...(pod?.status.podIPs ?? []).map(({ ip }) => ip)];
      return addresses.find((address) => isIPv4(address)) ?? null;
    },
    logs: async (sessionId, container, tailBytes) =>
      cluster.readLog(sessionId, containerName.parse(container), tailBytes),
    async list() {
      const { pods } = await cluster.listPods(selector);
      return pods.flatMap((pod) => sessionOf(pod) ?? []);
    },
    close() {
      cache.close();
      cluster.close();
    },
  };
}

/** Throws UnsupportedWorkloadError. */
function render(
  configuration: FrozenConfiguration,
  { containers, settings }: Pick<KubernetesRuntimeOptions, 'containers' | 'settings'>,
): ContainerWorkload {
  checkEgress(configuration, settings.egressRanges);
  return renderContainerWorkload(configuration, containers);
}

/** Runs work that `stop` can abort, as `signal` can. */
async function whileStarting(
  starting: Map<string, Set<AbortController>>,
  sessionId: string,
  signal: AbortSignal | undefined,
  work: (cancelled: AbortSignal) => Promise<void>,
): Promise<void> {
  const controller = new AbortController();
  const abort = () => controller.abort(signal?.reason);
  const ofSession = starting.get(sessionId) ?? new Set();
  starting.set(sessionId, ofSession.add(controller));
  signal?.addEventListener('abort', abort);
  try {
    if (signal?.aborted) {
      abort();
    }
    await work(controller.signal);
  } finally {
    signal?.removeEventListener('abort', abort);
    ofSession.delete(controller);
    if (ofSession.size === 0) {
      starting.delete(sessionId);
    }
  }
}
