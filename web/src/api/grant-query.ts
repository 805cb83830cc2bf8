import { queryOptions } from '@tanstack/react-query';
import { api, call } from './client.ts';
import { keys } from './keys.ts';

/** One grant of a workspace. */
export const grantQuery = (slug: string, id: string) =>
  queryOptions({
    queryKey: keys.grants(slug, 'one', id),
    queryFn: ({ signal }) =>
      call(
        api.GET('/api/workspaces/{slug}/grants/{grant_id}', {
          params: { path: { slug, grant_id: id } },
          signal,
        }),
      ),
  });
