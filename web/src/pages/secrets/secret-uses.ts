/** Where a secret is referenced, and to which entries it is restricted. */
import { useQuery } from '@tanstack/react-query';
import { api, call } from '../../api/client.ts';
import { keys } from '../../api/keys.ts';
import type { SecretUse } from '../../api/types.ts';
import { fetchAll } from '../../api/use-all.ts';

export interface Uses {
  /** Null means any. */
  allowedServers: string[] | null;
  uses: SecretUse[];
}

export function useSecretUses(slug: string, name: string) {
  return useQuery({
    queryKey: keys.secrets(slug, 'uses', name),
    queryFn: async ({ signal }): Promise<Uses> => {
      let allowedServers: string[] | null = null;
      const uses = await fetchAll(async (query) => {
        const params = { path: { slug, name }, query };
        const page = await call(api.GET('/api/workspaces/{slug}/secrets/{name}/uses', { params, signal }));
        allowedServers = page.allowed_servers;
        return { items: page.uses, next_cursor: page.next_cursor };
      });
      return { allowedServers, uses };
    },
  });
}
