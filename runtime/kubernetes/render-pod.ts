/** Pure: a session as one Pod that the `restricted` Pod Security Standard admits. */
import type { V1Pod, V1PodSpec, V1Toleration } from '@kubernetes/client-node';
import type { Toleration } from '../../config/kubernetes.ts';
import { type ContainerWorkload, containerUsers } from '../container-workload/container-workload.ts';
import type { OpenedHost } from '../open-private-host.ts';
import { podName, registrySecretName, schedulingGate, sessionLabels } from './names.ts';
import { renderContainer, type VariableDelivery } from './render-container.ts';
import { renderVolumes } from './render-volumes.ts';
import type { PodSettings } from './settings.ts';

/** The sidecar lingers, hands over its audit trail, and ends, with some time to spare. */
const stopGraceSeconds = 15;
/** A session on an unreachable node is given up after this long. */
const lostNodeSeconds = 60;

export interface PodLaunch {
  /**
   * Hosts with private addresses that the operator listed: these names stand for them
   * as long as the Pod runs.
   */
  opened?: readonly OpenedHost[];
  /** See `labelKeys.launch`. */
  launch: string;
  delivery: VariableDelivery;
  /** The Pod that this one is removed with: that of a service preview's session. */
  owner?: { name: string; uid: string } | null;
}

export function renderPod(
  workload: ContainerWorkload,
  settings: PodSettings,
  { launch, delivery, opened = [], owner = null }: PodLaunch,
): V1Pod {
  const { sessionId, containers, directories, lifetimeSeconds } = workload;
  const { namespace, installation, runtimeClass, nodeSelector, tolerations, sessionVolumeBytes } = settings;
  const labels = sessionLabels({ ...workload, installation, launch });
  const pullSecrets = [
    ...serversWithCredentials(workload).map((server) => registrySecretName(sessionId, launch, server)),
    ...settings.imagePullSecrets,
  ];
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name: podName(sessionId),
      namespace,
      labels,
      ...(owner === null ? {} : { ownerReferences: [{ apiVersion: 'v1', kind: 'Pod', ...owner }] }),
    },
    spec: {
      schedulingGates: [{ name: schedulingGate }],
      restartPolicy: 'Never',
      automountServiceAccountToken: false,
      enableServiceLinks: false,
      hostname: 'session',
      ...hostAliases(opened),
      activeDeadlineSeconds: lifetimeSeconds,
      terminationGracePeriodSeconds: stopGraceSeconds,
      ...(runtimeClass === null ? {} : { runtimeClassName: runtimeClass }),
      ...(Object.keys(nodeSelector).length === 0 ? {} : { nodeSelector }),
      // The first that matches a taint counts: an operator's that tolerates all keeps
      // no session on a lost node.
      tolerations: [...['not-ready', 'unreachable'].map(tolerateLostNode), ...tolerations.map(asPlain)],
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

/**
 * A name whose address changed later would lead past what the network policy opened, or to the Pod itself.
 */
function hostAliases(opened: readonly OpenedHost[]): Pick<V1PodSpec, 'hostAliases'> {
  const addresses = [...new Set(opened.flatMap((each) => (each.name === null ? [] : each.addresses)))];
  const namesOf = (ip: string) =>
    opened.flatMap((each) => (each.name !== null && each.addresses.includes(ip) ? [each.name] : []));
  const aliases = addresses.map((ip) => ({ ip, hostnames: [...new Set(namesOf(ip))] }));
  return aliases.length === 0 ? {} : { hostAliases: aliases };
}

/** Names of the servers whose images are pulled with credentials, in the order of the containers. */
export function serversWithCredentials({ containers }: ContainerWorkload): string[] {
  const servers = containers.flatMap(({ image }) => image.credentialsOf ?? []);
  return [...new Set(servers)];
}

const asPlain = (toleration: Toleration): V1Toleration => Object.fromEntries(Object.entries(toleration));

const tolerateLostNode = (condition: string): V1Toleration => ({
  key: `node.kubernetes.io/${condition}`,
  operator: 'Exists',
  effect: 'NoExecute',
  tolerationSeconds: lostNodeSeconds,
});
