/**
 * What the worker may do in the namespace of the sessions, and nothing beyond it: it makes Secrets and removes them by name, and
 * cannot read or list any. `test/integration/kubernetes` runs sessions with exactly this.
 */
import type { V1PolicyRule } from '@kubernetes/client-node';

export const workerRules: readonly V1PolicyRule[] = [
  { apiGroups: [''], resources: ['pods'], verbs: ['create', 'get', 'list', 'watch', 'patch', 'delete'] },
  { apiGroups: [''], resources: ['pods/log'], verbs: ['get'] },
  { apiGroups: [''], resources: ['secrets'], verbs: ['create', 'delete'] },
  { apiGroups: ['networking.k8s.io'], resources: ['networkpolicies'], verbs: ['create'] },
];
