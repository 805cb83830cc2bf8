import { useQuery } from '@tanstack/react-query';
import { api, call } from '../../api/client.ts';
import { keys } from '../../api/keys.ts';
import type { Agent } from '../../api/types.ts';
import { useMe, useWorkspace } from '../../app/signed-in.tsx';

/** Whether the person may make persistent grants for the agent, or the rule that forbids it. The API decides. */
export function useMayGrantForAgent({ owner_id }: Pick<Agent, 'owner_id'>): {
  may: boolean;
  rule: string | null;
} {
  const { slug, isAdmin } = useWorkspace();
  const isOwner = useMe().user.id === owner_id;
  const workspace = useQuery({
    queryKey: keys.settings(slug),
    queryFn: ({ signal }) => call(api.GET('/api/workspaces/{slug}', { params: { path: { slug } }, signal })),
    enabled: !isAdmin && isOwner,
  });
  if (isAdmin) {
    return { may: true, rule: null };
  }
  if (!isOwner) {
    return { may: false, rule: 'Only the agent’s owner and admins of the workspace may change this.' };
  }
  const allowed = workspace.data?.workspace.settings.members_grant_persistent === true;
  return {
    may: allowed,
    rule: allowed ? null : 'In this workspace only admins make persistent grants.',
  };
}
