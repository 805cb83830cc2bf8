import type { ContainerSettings } from '../../../runtime/container-workload/container-settings.ts';
import type { KubernetesSettings } from '../../../runtime/kubernetes/settings.ts';
import { requirePlatformImages } from '../platform-images.ts';
import type { TestCluster } from './test-cluster.ts';

const mebibyte = 1024 * 1024;

/** The settings that tests render Pods with: small, and with this host in place of API and worker. */
export const testKubernetesSettings = (
  given: Pick<KubernetesSettings, 'namespace' | 'installation'> & { hostAddress: string },
): KubernetesSettings => {
  const { hostAddress, ...own } = given;
  return {
    ...own,
    imagePullSecrets: [],
    runtimeClass: null,
    nodeSelector: {},
    tolerations: [],
    cpuRequestPercent: 1,
    memoryRequestPercent: 10,
    sessionVolumeBytes: 16 * mebibyte,
    apiPeer: { cidr: `${hostAddress}/32` },
    workerPeer: { cidr: `${hostAddress}/32` },
    dnsPeer: { namespace: 'kube-system', labels: { 'k8s-app': 'kube-dns' } },
    egressRanges: [],
    deniedRanges: [],
    secretDelivery: 'reference',
  };
};

/** Imports the sessions' images into the node; returns their references by digest. */
export async function importSessionImages(cluster: TestCluster): Promise<ContainerSettings['images']> {
  const { sidecar, scripted, runner } = requirePlatformImages();
  return {
    sidecar: await cluster.importImage(sidecar),
    scripted: await cluster.importImage(scripted),
    runner: await cluster.importImage(runner),
    claude: null,
  };
}
