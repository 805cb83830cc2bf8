/** The scopes that the catalog names, and the tools behind each. */
import { useQuery } from '@tanstack/react-query';
import { api, call } from '../../api/client.ts';
import { keys } from '../../api/keys.ts';
import { useWorkspace } from '../../app/signed-in.tsx';
import { scopesOfEntries } from './scopes-of-entries.ts';

export function useScopes() {
  const { slug } = useWorkspace();
  return useQuery({
    queryKey: keys.mcpServers(slug, 'scopes'),
    queryFn: async ({ signal }) => {
      const params = { path: { slug }, query: { limit: 200 } };
      const { mcp_servers } = await call(api.GET('/api/workspaces/{slug}/mcp-servers', { params, signal }));
      return scopesOfEntries(mcp_servers);
    },
  });
}
