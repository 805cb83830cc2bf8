import { useQuery } from '@tanstack/react-query';
import { api, call } from './client.ts';
import { keys } from './keys.ts';
import type { AgentAuthority } from './types.ts';

/**
 * What the agent can do by itself; asks for nothing while there is no agent. Read when it is about
 * to be shown, and forgotten with what shows it: a person decides by it. `everyMs`: read again so
 * often, while somebody decides.
 */
export function useAuthority(agentId: string | null, { everyMs = null }: { everyMs?: number | null } = {}) {
  return useQuery({
    queryKey: keys.agent(agentId ?? '', 'authority'),
    queryFn: async ({ signal }): Promise<AgentAuthority> => {
      const params = { path: { agent_id: agentId ?? '' } };
      return (await call(api.GET('/api/agents/{agent_id}/authority', { params, signal }))).authority;
    },
    enabled: agentId !== null,
    staleTime: 0,
    gcTime: 0,
    refetchInterval: everyMs ?? false,
  });
}
