/**
 * What the worker may do in the namespace of the sessions, and nothing beyond it: it makes Secrets and removes them by name, and has
 * no right to read or list any; nor to read what containers write, which is the cluster administrator's.
 * `test/integration/kubernetes` runs sessions with exactly this, and reads what they write with a right of its own.
 */
import type { V1PolicyRule } from '@kubernetes/client-node';

export const workerRules: readonly V1PolicyRule[] = [
  { apiGroups: [''], resources: ['pods'], verbs: ['create', 'get', 'list', 'watch', 'patch', 'delete'] },
  { apiGroups: [''], resources: ['secrets'], verbs: ['create', 'delete'] },
  { apiGroups: ['networking.k8s.io'], resources: ['networkpolicies'], verbs: ['create'] },
];
