import type { CoreV1Api, NetworkingV1Api } from '@kubernetes/client-node';

/** Pods, Secrets and policies that a selector of labels finds, as lines such as `Pod session-…`. */
export async function listSessionParts(
  { core, networking }: { core: CoreV1Api; networking: NetworkingV1Api },
  where: { namespace: string; labelSelector: string },
): Promise<string[]> {
  const [pods, secrets, policies] = await Promise.all([
    core.listNamespacedPod(where),
    core.listNamespacedSecret(where),
    networking.listNamespacedNetworkPolicy(where),
  ]);
  const named = (kind: string, { items }: { items: { metadata?: { name?: string } }[] }) =>
    items.map(({ metadata }) => `${kind} ${metadata?.name}`);
  return [...named('Pod', pods), ...named('Secret', secrets), ...named('NetworkPolicy', policies)];
}
