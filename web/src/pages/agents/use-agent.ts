import { useQuery } from '@tanstack/react-query';
import { api, call } from '../../api/client.ts';
import { keys } from '../../api/keys.ts';
import type { Agent, Attachment } from '../../api/types.ts';
import { useMe, useWorkspace } from '../../app/signed-in.tsx';

export function useAgent(id: string) {
  return useQuery({
    queryKey: keys.agent(id),
    queryFn: async ({ signal }): Promise<Agent> => {
      const params = { path: { agent_id: id } };
      return (await call(api.GET('/api/agents/{agent_id}', { params, signal }))).agent;
    },
  });
}

export function useAttachments(agentId: string) {
  return useQuery({
    queryKey: keys.agent(agentId, 'attachments'),
    queryFn: async ({ signal }): Promise<Attachment[]> => {
      const params = { path: { agent_id: agentId } };
      return (await call(api.GET('/api/agents/{agent_id}/mcp-attachments', { params, signal }))).attachments;
    },
  });
}

/** Members edit their own agents, admins all; the API decides. */
export function useMayEdit(agent: Pick<Agent, 'owner_id'>): boolean {
  const { isAdmin } = useWorkspace();
  const { user } = useMe();
  return isAdmin || agent.owner_id === user.id;
}
