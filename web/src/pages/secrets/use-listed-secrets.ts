/** All secrets with who uses each of them, in one request for up to 200. */
import { useQuery } from '@tanstack/react-query';
import { api, call } from '../../api/client.ts';
import { keys } from '../../api/keys.ts';
import type { ListedSecret } from '../../api/types.ts';
import { fetchAll } from '../../api/use-all.ts';

export function useListedSecrets(slug: string) {
  return useQuery({
    queryKey: keys.secrets(slug, 'with-uses'),
    queryFn: ({ signal }) =>
      fetchAll<ListedSecret>(async (page) => {
        const params = { path: { slug }, query: { ...page, include_uses: 'true' as const } };
        const answer = await call(api.GET('/api/workspaces/{slug}/secrets', { params, signal }));
        return { items: answer.secrets, next_cursor: answer.next_cursor };
      }),
  });
}
