/**
 * What a cluster administrator does for a test: its namespace, the worker's account, and reading everything.
 */
import {
  CoreV1Api,
  KubeConfig,
  NetworkingV1Api,
  RbacAuthorizationV1Api,
  type V1Pod,
  type V1Secret,
} from '@kubernetes/client-node';
import { labelKeys } from '../../../runtime/kubernetes/names.ts';
import { workerRules } from '../../../runtime/kubernetes/rbac.ts';
import { eventually } from '../../support/eventually.ts';
import { listSessionParts } from '../../support/kubernetes/session-parts.ts';

export interface Admin {
  core: CoreV1Api;
  createNamespace(): Promise<void>;
  deleteNamespace(): Promise<void>;
  /** A configuration whose user is the worker's service account. */
  workerKubeconfig(): Promise<string>;
  listPods(sessionId: string): Promise<V1Pod[]>;
  listSecrets(sessionId: string): Promise<V1Secret[]>;
  /** Pods, Secrets and policies of a session, as lines. */
  listAll(sessionId: string): Promise<string[]>;
}

const account = 'worker';
/** The platform never shows what containers write; the tests read it. */
const readLogs = { apiGroups: [''], resources: ['pods/log'], verbs: ['get'] };
const tokenSeconds = 3600;

export function openAdmin(kubeconfig: string, namespace: string): Admin {
  const config = new KubeConfig();
  config.loadFromFile(kubeconfig);
  const core = config.makeApiClient(CoreV1Api);
  const networking = config.makeApiClient(NetworkingV1Api);
  const rbac = config.makeApiClient(RbacAuthorizationV1Api);
  const ofSession = (sessionId: string) => ({
    namespace,
    labelSelector: `${labelKeys.session}=${sessionId}`,
  });
  const listPods = async (sessionId: string) => (await core.listNamespacedPod(ofSession(sessionId))).items;
  const listSecrets = async (sessionId: string) =>
    (await core.listNamespacedSecret(ofSession(sessionId))).items;
  return {
    core,
    listPods,
    listSecrets,
    async createNamespace() {
      const labels = { 'pod-security.kubernetes.io/enforce': 'restricted' };
      await core.createNamespace({ body: { metadata: { name: namespace, labels } } });
      // Every Pod has an account, even one that gets no token for it.
      await eventually(() => core.readNamespacedServiceAccount({ name: 'default', namespace }));
    },
    async deleteNamespace() {
      const { items } = await core.listNamespacedPod({ namespace });
      await Promise.all(
        items.map(({ metadata }) =>
          core
            .deleteNamespacedPod({ name: metadata?.name ?? '', namespace, gracePeriodSeconds: 0 })
            .catch(() => undefined),
        ),
      );
      await core.deleteNamespace({ name: namespace });
    },
    async workerKubeconfig() {
      const metadata = { name: account };
      await core.createNamespacedServiceAccount({ namespace, body: { metadata } });
      await rbac.createNamespacedRole({ namespace, body: { metadata, rules: [...workerRules, readLogs] } });
      await rbac.createNamespacedRoleBinding({
        namespace,
        body: {
          metadata,
          roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: account },
          subjects: [{ kind: 'ServiceAccount', name: account, namespace }],
        },
      });
      const { status } = await core.createNamespacedServiceAccountToken({
        name: account,
        namespace,
        body: { spec: { audiences: [], expirationSeconds: tokenSeconds } },
      });
      return configurationWith(config, status?.token ?? '');
    },
    listAll: (sessionId) => listSessionParts({ core, networking }, ofSession(sessionId)),
  };
}

/** The same cluster, authenticated by this token. */
function configurationWith(admin: KubeConfig, token: string): string {
  const cluster = admin.getCurrentCluster();
  if (cluster === null) {
    throw new Error('the configuration names no cluster');
  }
  const config = new KubeConfig();
  config.loadFromClusterAndUser(cluster, { name: account, token });
  return config.exportConfig();
}
