/**
 * The worker's complete rights in the namespace of the sessions: it creates Secrets and deletes them by name,
 * but may not read or list any; nor read container logs, which are the cluster administrator's.
 * `test/integration/kubernetes` runs sessions with exactly these rights, and reads logs
 * with a right of its own.
 */
import type { V1PolicyRule } from '@kubernetes/client-node';

export const workerRules: readonly V1PolicyRule[] = [
  { apiGroups: [''], resources: ['pods'], verbs: ['create', 'get', 'list', 'watch', 'patch', 'delete'] },
  { apiGroups: [''], resources: ['secrets'], verbs: ['create', 'delete'] },
  { apiGroups: ['networking.k8s.io'], resources: ['networkpolicies'], verbs: ['create'] },
];
