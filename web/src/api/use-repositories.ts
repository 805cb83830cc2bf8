import { useQuery } from '@tanstack/react-query';
import { api, call } from './client.ts';
import { keys } from './keys.ts';

/** The repositories that admins registered in the workspace. */
export const useRepositories = (slug: string) =>
  useQuery({
    queryKey: keys.repositories(slug),
    queryFn: async ({ signal }) => {
      const answer = await call(
        api.GET('/api/workspaces/{slug}/repositories', { params: { path: { slug } }, signal }),
      );
      return answer.repositories;
    },
  });
