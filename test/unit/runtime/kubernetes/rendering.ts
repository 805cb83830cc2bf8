/** A random launch as the manifests that the driver would send. */
import type { V1Pod, V1Secret } from '@kubernetes/client-node';
import type { FrozenConfiguration } from '../../../../contract/session.ts';
import type { ContainerWorkload } from '../../../../runtime/container-workload/container-workload.ts';
import { renderContainerWorkload } from '../../../../runtime/container-workload/render-container-workload.ts';
import { envSecretName } from '../../../../runtime/kubernetes/names.ts';
import type { VariableDelivery } from '../../../../runtime/kubernetes/render-container.ts';
import {
  type NetworkPolicy,
  renderNetworkPolicy,
} from '../../../../runtime/kubernetes/render-network-policy.ts';
import { type PodLaunch, renderPod } from '../../../../runtime/kubernetes/render-pod.ts';
import { renderSecrets } from '../../../../runtime/kubernetes/render-secrets.ts';
import type { KubernetesSettings } from '../../../../runtime/kubernetes/settings.ts';
import type { OpenedHost } from '../../../../runtime/open-private-host.ts';
import { resolvedSecret } from '../../../../runtime/variables.ts';
import type { LaunchSecrets } from '../../../../runtime/workload.ts';
import { testContainerSettings } from '../../../support/random-configurations.ts';

export const settings: KubernetesSettings = {
  namespace: 'sessions',
  installation: 'test',
  imagePullSecrets: [],
  runtimeClass: null,
  nodeSelector: {},
  tolerations: [],
  cpuRequestPercent: 10,
  memoryRequestPercent: 50,
  sessionVolumeBytes: 64 * 1024 * 1024,
  apiPeer: { namespace: 'platform', labels: { app: 'api' } },
  workerPeer: { namespace: 'platform', labels: { app: 'worker' } },
  dnsPeer: { namespace: 'kube-system', labels: { 'k8s-app': 'kube-dns' } },
  egressRanges: [],
  deniedRanges: [],
  secretDelivery: 'reference',
};
export const launch = '0123abcd';
export const podUid = '11111111-2222-4333-8444-555555555555';

export interface Rendered {
  workload: ContainerWorkload;
  pod: V1Pod;
  secrets: V1Secret[];
  policy: NetworkPolicy;
}

export function renderAll(
  configuration: FrozenConfiguration,
  secrets: LaunchSecrets,
  changes: Partial<KubernetesSettings> = {},
  opened: readonly OpenedHost[] = [],
  owner: PodLaunch['owner'] = null,
): Rendered {
  const all = { ...settings, ...changes };
  const workload = renderContainerWorkload(configuration, testContainerSettings);
  const delivery: VariableDelivery =
    all.secretDelivery === 'reference'
      ? {
          type: 'reference',
          secretNameOf: ({ name }) => envSecretName(workload.sessionId, launch, name),
        }
      : { type: 'inline', valueOf: (container, name) => resolvedSecret(container, name, secrets) };
  const identity = { uid: podUid, launch };
  return {
    workload,
    pod: renderPod(workload, all, { launch, delivery, opened, owner }),
    secrets: renderSecrets(workload, secrets, all, identity),
    policy: renderNetworkPolicy(workload, all, identity, opened),
  };
}
