/** Pure: the session that is launched, what it needs, and the Pods that it is compared with. */
import type { V1Pod, V1Secret } from '@kubernetes/client-node';
import type { FrozenConfiguration } from '../../contract/session.ts';
import type { ContainerWorkload } from '../../runtime/container-workload/container-workload.ts';
import { envSecretName } from '../../runtime/kubernetes/names.ts';
import { renderPod } from '../../runtime/kubernetes/render-pod.ts';
import { renderSecrets } from '../../runtime/kubernetes/render-secrets.ts';
import type { KubernetesSettings } from '../../runtime/kubernetes/settings.ts';
import { resolvedSecret } from '../../runtime/variables.ts';
import type { LaunchSecrets } from '../../runtime/workload.ts';
import { configuration, serverNamed } from '../../test/support/frozen-configuration.ts';

/** What the agent's program requests first. */
export const agentRoute = 'agent-speaks';

/**
 * With the network `internet`, so that the same program makes the same request with and without the platform.
 */
export function sessionWith(servers: number, sessionId: string, apiUrl: string): FrozenConfiguration {
  const url = `${apiUrl}/internal/sessions/${sessionId}/${agentRoute}`;
  const script = `require('node:http').get(${JSON.stringify(url)}); setInterval(() => {}, 60000);`;
  return configuration({
    session_id: sessionId,
    agent: { run: { type: 'command', command: 'node', args: ['-e', script] }, network: 'internet' },
    servers: serverNames(servers).map((name) =>
      serverNamed(name, {
        shape: { type: 'command', command: 'sleep', args: ['3600'] },
        env: { TOKEN: { kind: 'secret', secret_name: 'TOKEN', secret_version: 1 } },
      }),
    ),
  });
}

export function secretsFor(servers: number): LaunchSecrets {
  return {
    agentEnv: {},
    serverEnv: Object.fromEntries(serverNames(servers).map((name) => [name, { TOKEN: 'a credential' }])),
    siblingEnv: {},
    registryCredentials: {},
    sidecar: { internal_token: 'token', control_key: 'key' },
  };
}

const serverNames = (count: number) => Array.from({ length: count }, (_, index) => `server-${index + 1}`);

export interface Manifests {
  pod: V1Pod;
  /** Must exist before the Pod. */
  secrets: V1Secret[];
}

/** The session's own Pod, ready to run as soon as it is created. */
export function renderAtOnce(
  workload: ContainerWorkload,
  secrets: LaunchSecrets,
  settings: KubernetesSettings,
  launch: string,
): Manifests {
  const pod = renderPod(workload, settings, {
    launch,
    delivery: {
      type: 'reference',
      secretNameOf: ({ name }) => envSecretName(workload.sessionId, launch, name),
    },
  });
  return {
    pod: withoutGate(pod),
    secrets: ownerless(renderSecrets(workload, secrets, settings, { uid: '', launch })),
  };
}

/** The same containers around the programs alone: nothing of the platform starts them. */
export function renderBare(
  workload: ContainerWorkload,
  secrets: LaunchSecrets,
  settings: KubernetesSettings,
  launch: string,
): Manifests {
  const inline = { ...settings, secretDelivery: 'inline' as const };
  const pod = withoutGate(
    renderPod(workload, inline, {
      launch,
      delivery: { type: 'inline', valueOf: (container, name) => resolvedSecret(container, name, secrets) },
    }),
  );
  for (const container of pod.spec?.containers ?? []) {
    delete container.lifecycle;
    const { command = [] } = container;
    container.command = command.slice(command.indexOf('--') + 1);
  }
  return { pod, secrets: ownerless(renderSecrets(workload, secrets, inline, { uid: '', launch })) };
}

function withoutGate(pod: V1Pod): V1Pod {
  delete pod.spec?.schedulingGates;
  return pod;
}

function ownerless(secrets: V1Secret[]): V1Secret[] {
  for (const { metadata } of secrets) {
    delete metadata?.ownerReferences;
  }
  return secrets;
}
