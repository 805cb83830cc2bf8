/** Pure: a session as one Pod that the `restricted` Pod Security Standard admits. */
import type { V1Pod, V1Toleration } from '@kubernetes/client-node';
import { type ContainerWorkload, containerUsers } from '../container-workload/container-workload.ts';
import { podName, registrySecretName, schedulingGate, sessionLabels } from './names.ts';
import { renderContainer, type VariableDelivery } from './render-container.ts';
import { renderVolumes } from './render-volumes.ts';
import type { PodSettings } from './settings.ts';

/** The sidecar lingers, hands over its audit trail, and ends, with some time to spare. */
const stopGraceSeconds = 15;
/** A session on an unreachable node is given up after this long. */
const lostNodeSeconds = 60;

export interface PodLaunch {
  /** See `labelKeys.launch`. */
  launch: string;
  delivery: VariableDelivery;
}

export function renderPod(
  workload: ContainerWorkload,
  settings: PodSettings,
  { launch, delivery }: PodLaunch,
): V1Pod {
  const { sessionId, containers, directories, lifetimeSeconds } = workload;
  const { namespace, installation, runtimeClass, nodeSelector, sessionVolumeBytes } = settings;
  const labels = sessionLabels({ ...workload, installation, launch });
  const pullSecrets = [
    ...serversWithCredentials(workload).map((server) => registrySecretName(sessionId, launch, server)),
    ...settings.imagePullSecrets,
  ];
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: podName(sessionId), namespace, labels },
    spec: {
      schedulingGates: [{ name: schedulingGate }],
      restartPolicy: 'Never',
      automountServiceAccountToken: false,
      enableServiceLinks: false,
      hostname: 'session',
      activeDeadlineSeconds: lifetimeSeconds,
      terminationGracePeriodSeconds: stopGraceSeconds,
      ...(runtimeClass === null ? {} : { runtimeClassName: runtimeClass }),
      ...(Object.keys(nodeSelector).length === 0 ? {} : { nodeSelector }),
      tolerations: ['not-ready', 'unreachable'].map(tolerateLostNode),
      ...(pullSecrets.length === 0 ? {} : { imagePullSecrets: pullSecrets.map((name) => ({ name })) }),
      securityContext: {
        runAsNonRoot: true,
        fsGroup: containerUsers.group,
        fsGroupChangePolicy: 'OnRootMismatch',
        seccompProfile: { type: 'RuntimeDefault' },
      },
      containers: containers.map((container) =>
        renderContainer(container, { directories, settings, launch, delivery }),
      ),
      volumes: renderVolumes(workload, { sessionVolumeBytes, launch }),
    },
  };
}

/** Names of the servers whose images are pulled with credentials, in the order of the containers. */
export function serversWithCredentials({ containers }: ContainerWorkload): string[] {
  const servers = containers.flatMap(({ image }) => image.credentialsOf ?? []);
  return [...new Set(servers)];
}

const tolerateLostNode = (condition: string): V1Toleration => ({
  key: `node.kubernetes.io/${condition}`,
  operator: 'Exists',
  effect: 'NoExecute',
  tolerationSeconds: lostNodeSeconds,
});
