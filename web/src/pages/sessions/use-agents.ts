import { useQuery } from '@tanstack/react-query';
import { api, call } from '../../api/client.ts';
import { keys } from '../../api/keys.ts';
import { fetchAll } from '../../api/use-all.ts';
import { useWorkspace } from '../../app/signed-in.tsx';

/** All agents of the workspace, to choose from. */
export function useAgents() {
  const { slug } = useWorkspace();
  return useQuery({
    queryKey: keys.agents(slug, 'all'),
    queryFn: ({ signal }) =>
      fetchAll(async (query) => {
        const params = { path: { slug }, query };
        const page = await call(api.GET('/api/workspaces/{slug}/agents', { params, signal }));
        return { items: page.agents, next_cursor: page.next_cursor };
      }),
    staleTime: 60_000,
  });
}
