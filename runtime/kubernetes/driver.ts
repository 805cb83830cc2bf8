/** The workload interface on a Kubernetes cluster: one Pod per session (docs/decisions/0013). */
import type { Logger } from 'pino';
import type { FrozenConfiguration } from '../../contract/session.ts';
import type { ContainerSettings } from '../container-workload/container-settings.ts';
import type { ContainerWorkload } from '../container-workload/container-workload.ts';
import { renderContainerWorkload } from '../container-workload/render-container-workload.ts';
import { createRuntime } from '../create-runtime.ts';
import type { Runtime, WorkloadState } from '../workload.ts';
import type { Cluster } from './cluster.ts';
import { describePod } from './describe-pod.ts';
import { checkEgress } from './egress-rule.ts';
import { sessionSelector } from './names.ts';
import { hostOf, type Pod, sessionOf } from './pod.ts';
import { createPodCache } from './pod-cache.ts';
import type { KubernetesSettings } from './settings.ts';
import { startPod } from './start-pod.ts';
import { type StopLimits, stopPod } from './stop-pod.ts';

export interface KubernetesRuntimeDependencies extends Partial<StopLimits> {
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

const defaultLimits: StopLimits = { stopTimeoutMs: 50_000, lostNodeTimeoutMs: 60_000 };

/** Does not wait for the cluster: calls made while it is unreachable take longer, or fail. */
export function createKubernetesRuntime(dependencies: KubernetesRuntimeDependencies): KubernetesRuntime {
  const { cluster, settings, logger } = dependencies;
  const selector = sessionSelector(settings.installation);
  const cache = createPodCache(cluster, { selector, logger });
  const limits = { ...defaultLimits, ...dependencies };
  const find = async (sessionId: string): Promise<Pod | null> =>
    cache.get(sessionId) ?? (await cluster.readPod(sessionId));

  const runtime = createRuntime<ContainerWorkload>({
    name: 'kubernetes',
    render: (configuration) => render(configuration, dependencies),
    start: (workload, secrets, signal) => startPod(workload, secrets, { ...dependencies, cache }, signal),
    stop: (sessionId) => stopPod(sessionId, { cluster, cache }, limits),
    async inspect(sessionId): Promise<WorkloadState> {
      const pod = await find(sessionId);
      const reason = cache.whyGone(sessionId);
      if (pod !== null) {
        return describePod(pod);
      }
      return reason === undefined ? { state: 'absent' } : { state: 'lost', reason };
    },
    watch: cache.watch,
    async sidecarHost(sessionId) {
      const pod = await find(sessionId);
      return pod === null ? null : hostOf(pod);
    },
    logs: (sessionId, container, tailBytes) => cluster.readLog(sessionId, container, tailBytes),
    async list() {
      const { pods } = await cluster.listPods(selector);
      return pods.flatMap((pod) => sessionOf(pod) ?? []);
    },
  });
  const close = () => {
    cache.close();
    cluster.close();
  };
  return { ...runtime, close };
}

/** Throws UnsupportedWorkloadError. */
function render(
  configuration: FrozenConfiguration,
  { containers, settings }: Pick<KubernetesRuntimeDependencies, 'containers' | 'settings'>,
): ContainerWorkload {
  checkEgress(configuration, settings.egressRanges);
  return renderContainerWorkload(configuration, containers);
}
