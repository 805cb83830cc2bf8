import { useQuery } from '@tanstack/react-query';
import { settingsQuery } from '../../api/settings-query.ts';
import type { Agent } from '../../api/types.ts';
import { useMe, useWorkspace } from '../../app/signed-in.tsx';

/** Whether the person may make persistent grants for the agent, or the rule that forbids it. The API decides. */
export function useMayGrantForAgent({ owner_id }: Pick<Agent, 'owner_id'>): {
  may: boolean;
  rule: string | null;
} {
  const { slug, isAdmin } = useWorkspace();
  const isOwner = useMe().user.id === owner_id;
  const workspace = useQuery({ ...settingsQuery(slug), enabled: !isAdmin && isOwner });
  if (isAdmin) {
    return { may: true, rule: null };
  }
  if (!isOwner) {
    return { may: false, rule: 'Only the agent’s owner and workspace admins can change this.' };
  }
  const allowed = workspace.data?.workspace.settings.members_grant_persistent === true;
  return {
    may: allowed,
    rule: allowed ? null : 'Only admins can create persistent grants in this workspace.',
  };
}
