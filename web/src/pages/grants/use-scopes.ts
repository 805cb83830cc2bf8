/** The scopes that the catalog names, and the tools behind each. */
import { useQuery } from '@tanstack/react-query';
import { api, call } from '../../api/client.ts';
import { keys } from '../../api/keys.ts';
import { fetchAll } from '../../api/use-all.ts';
import { useWorkspace } from '../../app/signed-in.tsx';
import { scopesOfEntries } from './scopes-of-entries.ts';

export function useScopes() {
  const { slug } = useWorkspace();
  return useQuery({
    queryKey: keys.mcpServers(slug, 'scopes'),
    queryFn: async ({ signal }) => {
      const entries = await fetchAll(async (query) => {
        const params = { path: { slug }, query };
        const page = await call(api.GET('/api/workspaces/{slug}/mcp-servers', { params, signal }));
        return { items: page.mcp_servers, next_cursor: page.next_cursor };
      });
      return scopesOfEntries(entries);
    },
  });
}
