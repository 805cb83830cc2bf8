/**
 * Pure: the Secrets of one launch. They are owned by its Pod and deleted with it; each is for one container.
 */
import type { V1ObjectMeta, V1OwnerReference, V1Secret } from '@kubernetes/client-node';
import { parseReference } from '../../lib/oci/reference.ts';
import type { ContainerSpec, ContainerWorkload } from '../container-workload/container-workload.ts';
import { keyedBoot } from '../render-boot.ts';
import { plannedSecrets, resolvedSecret } from '../variables.ts';
import type { LaunchSecrets } from '../workload.ts';
import { bootSecretName, envSecretName, podName, registrySecretName, sessionLabels } from './names.ts';
import { serversWithCredentials } from './render-pod.ts';
import type { SecretDelivery } from './settings.ts';

/** The Pod as created: the cluster deletes what it owns with it, even if the worker is lost. */
export interface PodIdentity {
  uid: string;
  launch: string;
}

export interface SecretSettings {
  namespace: string;
  installation: string;
  secretDelivery: SecretDelivery;
}

/**
 * The sidecar's first, then those of the containers, then the image pull secrets. Throws
 * when a value is missing.
 */
export function renderSecrets(
  workload: ContainerWorkload,
  secrets: LaunchSecrets,
  settings: SecretSettings,
  pod: PodIdentity,
): V1Secret[] {
  const metadata = (name: string) => renderMetadata(name, workload, settings, pod);
  return [
    renderBootSecret(workload, secrets, metadata(bootSecretName(workload.sessionId, pod.launch))),
    ...(settings.secretDelivery === 'inline' ? [] : containersWithSecrets(workload)).map((container) =>
      secretOf(
        metadata(envSecretName(workload.sessionId, pod.launch, container.name)),
        'Opaque',
        Object.fromEntries(
          plannedSecrets(container.env).map((name) => [name, resolvedSecret(container, name, secrets)]),
        ),
      ),
    ),
    ...serversWithCredentials(workload).map((server) =>
      secretOf(
        metadata(registrySecretName(workload.sessionId, pod.launch, server)),
        'kubernetes.io/dockerconfigjson',
        { '.dockerconfigjson': renderDockerConfig(workload, server, secrets) },
      ),
    ),
  ];
}

export const containersWithSecrets = ({ containers }: ContainerWorkload): ContainerSpec[] =>
  containers.filter(({ env }) => plannedSecrets(env).length > 0);

const renderBootSecret = ({ boot }: ContainerWorkload, secrets: LaunchSecrets, metadata: V1ObjectMeta) =>
  secretOf(metadata, 'Opaque', { 'boot.json': JSON.stringify(keyedBoot(boot, secrets)) });

/** The key is the one repository: the same registry's other images are pulled without these credentials. */
function renderDockerConfig(
  { containers }: ContainerWorkload,
  server: string,
  { registryCredentials }: LaunchSecrets,
): string {
  const image = containers.find(({ image: { credentialsOf } }) => credentialsOf === server)?.image;
  const credentials = registryCredentials[server];
  if (image === undefined || credentials === undefined) {
    throw new Error(`MCP server ${server}: the credentials of its image were not resolved`);
  }
  const { registry, repository } = parseReference(image.reference);
  const auth = Buffer.from(credentials).toString('base64');
  return JSON.stringify({ auths: { [`${registry}/${repository}`]: { auth } } });
}

function secretOf(metadata: V1ObjectMeta, type: string, values: Readonly<Record<string, string>>): V1Secret {
  const data = Object.entries(values).map(([key, value]) => [key, Buffer.from(value).toString('base64')]);
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata,
    type,
    immutable: true,
    data: Object.fromEntries(data),
  };
}

/** Also used for the session's network policy. */
export function renderMetadata(
  name: string,
  { sessionId, workspaceId }: Pick<ContainerWorkload, 'sessionId' | 'workspaceId'>,
  { namespace, installation }: Pick<SecretSettings, 'namespace' | 'installation'>,
  { uid, launch }: PodIdentity,
): V1ObjectMeta {
  const owner: V1OwnerReference = {
    apiVersion: 'v1',
    kind: 'Pod',
    name: podName(sessionId),
    uid,
    blockOwnerDeletion: false,
  };
  return {
    name,
    namespace,
    labels: sessionLabels({ sessionId, workspaceId, installation, launch }),
    ownerReferences: [owner],
  };
}
