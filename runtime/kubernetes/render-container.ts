/** Pure: one container of a session's Pod. */
import type { V1Container, V1EnvVar, V1Lifecycle, V1ResourceRequirements } from '@kubernetes/client-node';
import type { ContainerSpec, ContainerWorkload } from '../container-workload/container-workload.ts';
import type { ContainerVariable } from '../variables.ts';
import { containerPaths } from '../workload-plan/workload-plan.ts';
import { startedByRelayOf } from './relay-path.ts';
import { renderMounts } from './render-volumes.ts';
import type { PodSettings } from './settings.ts';

/**
 * How a container gets a secret variable: a Secret that the manifest names, or its
 * value in the manifest itself.
 */
export type VariableDelivery =
  | { type: 'reference'; secretNameOf: (container: ContainerSpec) => string }
  | { type: 'inline'; valueOf: (container: ContainerSpec, variable: string) => string };

/** The agent is asked to end first: the sidecar still accepts its last messages. */
const sidecarLingerSeconds = 2;
/** Logs and other ephemeral storage besides the volumes. */
const logRoomBytes = 64 * 1024 * 1024;

export function renderContainer(
  container: ContainerSpec,
  {
    directories,
    settings,
    launch,
    delivery,
  }: Pick<ContainerWorkload, 'directories'> & {
    settings: PodSettings;
    launch: string;
    delivery: VariableDelivery;
  },
): V1Container {
  const { name, role, image, env, uid, workingDirectory } = container;
  return {
    name,
    image: image.reference,
    // With credentials they are checked on every start: an image cached on a node is not open to everybody.
    imagePullPolicy: image.credentialsOf === null ? 'IfNotPresent' : 'Always',
    command: startedByRelayOf(launch, container).map(escapeExpansion),
    ...(workingDirectory === null ? {} : { workingDir: workingDirectory }),
    env: env.map((variable) => renderVariable(variable, container, delivery)),
    resources: renderResources(container, settings),
    securityContext: {
      runAsUser: uid,
      runAsGroup: uid,
      runAsNonRoot: true,
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
      seccompProfile: { type: 'RuntimeDefault' },
    },
    volumeMounts: renderMounts(container, launch),
    ...(role === 'sidecar' ? { lifecycle: renderLifecycle(directories) } : {}),
  };
}

/** The kubelet starts the next container when the first hook has ended; it has a limit of its own. */
function renderLifecycle(directories: readonly string[]): V1Lifecycle {
  const install = [containerPaths.relay, 'install', containerPaths.session, ...directories];
  return {
    postStart: { exec: { command: install } },
    preStop: { sleep: { seconds: sidecarLingerSeconds } },
  };
}

function renderVariable(
  variable: ContainerVariable,
  container: ContainerSpec,
  delivery: VariableDelivery,
): V1EnvVar {
  const { name } = variable;
  if ('value' in variable) {
    return { name, value: escapeExpansion(variable.value) };
  }
  return delivery.type === 'inline'
    ? { name, value: escapeExpansion(delivery.valueOf(container, name)) }
    : { name, valueFrom: { secretKeyRef: { name: delivery.secretNameOf(container), key: name } } };
}

function renderResources(
  { role, size, scratch }: ContainerSpec,
  { cpuRequestPercent, memoryRequestPercent, sessionVolumeBytes }: PodSettings,
): V1ResourceRequirements {
  const { memoryBytes, cpuMillis } = size;
  const scratchBytes = scratch.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
  const storageBytes = scratchBytes + logRoomBytes + (role === 'sidecar' ? sessionVolumeBytes : 0);
  return {
    limits: {
      memory: String(memoryBytes),
      cpu: `${cpuMillis}m`,
      'ephemeral-storage': String(storageBytes),
    },
    requests: {
      memory: String(share(memoryBytes, memoryRequestPercent)),
      cpu: `${share(cpuMillis, cpuRequestPercent)}m`,
      // Without it the request would default to the limit; some nodes do not count their disk at all, and
      // would accept no session.
      'ephemeral-storage': '0',
    },
  };
}

const share = (whole: number, percent: number) => Math.max(1, Math.ceil((whole * percent) / 100));

/**
 * The kubelet replaces `$(NAME)` in variables and commands by another variable's value, and `$$` by `$`. With
 * every `$` doubled the container gets exactly this text: no value can expand another.
 */
export const escapeExpansion = (text: string): string => text.replaceAll('$', '$$$$');
