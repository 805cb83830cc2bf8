/** Pods for tests of the cluster itself; tests of the product use its own runtime. */
import { randomUUID } from 'node:crypto';
import { CoreV1Api, KubeConfig, type V1Container, type V1PodSpec } from '@kubernetes/client-node';
import { eventually } from '../eventually.ts';

export interface TestNamespace {
  api: CoreV1Api;
  name: string;
  /** Creates a Pod of one container that the standard `restricted` admits, and returns its name. */
  startPod(container: Partial<V1Container>, spec?: Partial<V1PodSpec>): Promise<string>;
  /** Waits for the phase and returns the Pod's output. */
  waitFor(pod: string, phase: 'Running' | 'Succeeded'): Promise<string>;
  remove(): Promise<void>;
}

/** A namespace that admits `restricted` Pods only, once its service account is there. */
export async function makeNamespace(kubeconfig: string): Promise<TestNamespace> {
  const config = new KubeConfig();
  config.loadFromFile(kubeconfig);
  const api = config.makeApiClient(CoreV1Api);
  const name = `test-${randomUUID()}`;
  await api.createNamespace({
    body: { metadata: { name, labels: { 'pod-security.kubernetes.io/enforce': 'restricted' } } },
  });
  await eventually(() => api.readNamespacedServiceAccount({ namespace: name, name: 'default' }));
  return {
    api,
    name,
    startPod: (container, spec) => startPod(api, name, container, spec),
    waitFor: (pod, phase) => waitFor(api, name, pod, phase),
    async remove() {
      await api.deleteNamespace({ name, gracePeriodSeconds: 0 });
    },
  };
}

async function startPod(
  api: CoreV1Api,
  namespace: string,
  container: Partial<V1Container>,
  spec: Partial<V1PodSpec> = {},
): Promise<string> {
  const name = `pod-${randomUUID()}`;
  await api.createNamespacedPod({
    namespace,
    body: {
      metadata: { name },
      spec: {
        restartPolicy: 'Never',
        automountServiceAccountToken: false,
        terminationGracePeriodSeconds: 1,
        securityContext: {
          runAsNonRoot: true,
          runAsUser: 20_000,
          seccompProfile: { type: 'RuntimeDefault' },
        },
        containers: [
          {
            name: 'main',
            securityContext: { allowPrivilegeEscalation: false, capabilities: { drop: ['ALL'] } },
            ...container,
          },
        ],
        ...spec,
      },
    },
  });
  return name;
}

async function waitFor(api: CoreV1Api, namespace: string, name: string, wanted: string): Promise<string> {
  await eventually(
    async () => {
      const { status } = await api.readNamespacedPod({ namespace, name });
      if (status?.phase !== wanted) {
        throw new Error(`${name} is ${JSON.stringify(status)}`);
      }
    },
    { everyMs: 200 },
  );
  return api.readNamespacedPodLog({ namespace, name });
}
