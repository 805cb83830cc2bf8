/**
 * How sessions run on a cluster: the settings that `config/kubernetes.ts` reads, as the renderers take them.
 */
import type { KubernetesConfig, Peer, Toleration } from '../../config/kubernetes.ts';

export interface PodSettings {
  namespace: string;
  installation: string;
  /** Names of Secrets of the namespace, for the platform's own images. */
  imagePullSecrets: readonly string[];
  runtimeClass: string | null;
  nodeSelector: Readonly<Record<string, string>>;
  tolerations: readonly Toleration[];
  /** Resource request, as a percentage of a container's limit. */
  cpuRequestPercent: number;
  memoryRequestPercent: number;
  /** Size of the volume that the sidecar fills: sockets, the agent's configuration, the audit spool. */
  sessionVolumeBytes: number;
}

export interface NetworkSettings {
  apiPeer: Peer;
  workerPeer: Peer;
  dnsPeer: Peer;
  /** Ranges that `egress_allow` may open. */
  egressRanges: readonly string[];
  /** Public ranges of the cluster itself, blocked in addition to those that no session may reach. */
  deniedRanges: readonly string[];
}

export type SecretDelivery = 'reference' | 'inline';

export interface KubernetesSettings extends PodSettings, NetworkSettings {
  secretDelivery: SecretDelivery;
}

export const kubernetesSettings = (config: KubernetesConfig): KubernetesSettings => ({
  namespace: config.KUBERNETES_NAMESPACE,
  installation: config.KUBERNETES_INSTALLATION,
  imagePullSecrets: config.KUBERNETES_IMAGE_PULL_SECRETS,
  runtimeClass: config.KUBERNETES_RUNTIME_CLASS ?? null,
  nodeSelector: config.KUBERNETES_NODE_SELECTOR,
  tolerations: config.KUBERNETES_TOLERATIONS,
  cpuRequestPercent: config.KUBERNETES_CPU_REQUEST_PERCENT,
  memoryRequestPercent: config.KUBERNETES_MEMORY_REQUEST_PERCENT,
  sessionVolumeBytes: config.KUBERNETES_SESSION_VOLUME_BYTES,
  apiPeer: config.KUBERNETES_API_PEER,
  workerPeer: config.KUBERNETES_WORKER_PEER,
  dnsPeer: config.KUBERNETES_DNS_PEER,
  egressRanges: config.KUBERNETES_EGRESS_RANGES,
  deniedRanges: config.KUBERNETES_DENIED_RANGES,
  secretDelivery: config.SECRET_DELIVERY,
});
