/** Persistent grants that an agent holds, and making them on its page. */
import { useQuery } from '@tanstack/react-query';
import { useRef } from 'react';
import { api, call } from '../../api/client.ts';
import { keys } from '../../api/keys.ts';
import { useSendGrant } from '../../api/passkeys.ts';
import type { Grant, GrantInput } from '../../api/types.ts';
import { fetchAll } from '../../api/use-all.ts';
import { useApiMutation } from '../../api/use-api-mutation.ts';
import { useIdempotencyKey } from '../../api/use-idempotency-key.ts';
import { useWorkspace } from '../../app/signed-in.tsx';

/** Active ones of one type. */
export function useAgentGrants(agentId: string, type: GrantInput['grant_type']) {
  const { slug } = useWorkspace();
  return useQuery({
    queryKey: keys.grants(slug, 'of-agent', agentId, type),
    queryFn: async ({ signal }): Promise<Grant[]> => {
      const all = await fetchAll(async (page) => {
        const query = { ...page, agent_subject_id: agentId, grant_type: type, state: 'active' as const };
        const params = { path: { slug }, query };
        const { grants, next_cursor } = await call(
          api.GET('/api/workspaces/{slug}/grants', { params, signal }),
        );
        return { items: grants, next_cursor };
      });
      return all.filter(({ scope }) => scope === 'persistent');
    },
  });
}

/** The one of these that lets the agent use a secret, as the key of a model at that endpoint alone. */
export const grantOfSecret = (
  grants: readonly Grant[],
  { secretName, endpoint }: { secretName: string; endpoint?: string | undefined },
): Grant | undefined =>
  grants.find(({ details }) => details['secret_name'] === secretName && details['endpoint'] === endpoint);

export function useMakeGrant() {
  const { slug } = useWorkspace();
  const keyFor = useIdempotencyKey();
  const sendGrant = useSendGrant(slug);
  const made = useRef(0);
  return useApiMutation({
    send: (body: GrantInput) =>
      // What was made may be revoked, and made again from the same page.
      sendGrant(body, { header: keyFor({ ...body, made: made.current }) }),
    invalidates: [keys.grants(slug)],
    onSuccess: () => {
      made.current += 1;
    },
  });
}
