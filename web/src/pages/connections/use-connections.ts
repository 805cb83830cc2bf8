import { useQuery } from '@tanstack/react-query';
import { api, call } from '../../api/client.ts';
import { keys } from '../../api/keys.ts';
import type { Connection } from '../../api/types.ts';

/** The person's own connections to remote servers, in all of their workspaces. */
export function useConnections() {
  return useQuery({
    queryKey: keys.connections,
    queryFn: async ({ signal }): Promise<Connection[]> =>
      (await call(api.GET('/api/me/connections', { signal }))).connections,
  });
}
