import { useQuery } from '@tanstack/react-query';
import { api, call } from '../../api/client.ts';
import { keys } from '../../api/keys.ts';
import type { McpServer } from '../../api/types.ts';
import { askWhilePending } from '../../text/registration-state.ts';

const askEveryMs = 2000;

/** `refetchOnMount`: `always` where what is saved would replace what somebody else has saved since. */
export function useEntry(slug: string, name: string, refetchOnMount: 'always' | true = true) {
  return useQuery({
    refetchOnMount,
    queryKey: keys.mcpServers(slug, 'one', name),
    queryFn: async ({ signal }): Promise<McpServer> => {
      const params = { path: { slug, name } };
      return (await call(api.GET('/api/workspaces/{slug}/mcp-servers/{name}', { params, signal })))
        .mcp_server;
    },
    refetchInterval: ({ state: { data } }) =>
      askWhilePending(data === undefined ? undefined : [data], askEveryMs),
  });
}
