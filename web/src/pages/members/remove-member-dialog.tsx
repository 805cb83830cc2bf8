import { List, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { api, call } from '../../api/client.ts';
import { keys } from '../../api/keys.ts';
import { stale } from '../../api/stale.ts';
import type { ListedMember } from '../../api/types.ts';
import { useApiMutation } from '../../api/use-api-mutation.ts';
import { useMe, useWorkspace } from '../../app/signed-in.tsx';
import { RemovalDialog } from '../../components/removal-dialog.tsx';
import { VisibleText } from '../../components/visible-text.tsx';

/** Says what ends with the membership before it does. */
export function RemoveMemberDialog({
  member: { user, made_by: madeBy },
  onClose,
}: {
  member: ListedMember;
  onClose: () => void;
}) {
  const { slug } = useWorkspace();
  const isMe = useMe().user.id === user.id;
  const remove = useApiMutation({
    send: () =>
      call(
        api.DELETE('/api/workspaces/{slug}/members/{user_id}', {
          params: { path: { slug, user_id: user.id } },
        }),
      ),
    invalidates: stale.membership(slug),
    onSuccess: onClose,
  });
  return (
    <RemovalDialog
      opened
      onClose={onClose}
      title={isMe ? 'Leave workspace' : 'Remove member'}
      confirmLabel={isMe ? 'Leave workspace' : 'Remove member'}
      removal={remove}
    >
      <Text>
        When <VisibleText text={user.name} /> (<VisibleText text={user.email ?? ''} />) is removed,
        immediately:
      </Text>
      <List spacing="xs">
        <List.Item>{isMe ? 'you lose' : 'they lose'} access to this workspace;</List.Item>
        <List.Item>
          <HeldGrants userId={user.id} /> revoked;
        </List.Item>
        <List.Item>the sessions that they started end.</List.Item>
      </List>
      {madeBy === 'rule' ? (
        <Text>A group gave them their role: with it they come back as they sign in again.</Text>
      ) : null}
      <Text>
        Agents that they created are kept, and so are grants that they gave to agents: revoke those under
        Grants.
      </Text>
    </RemovalDialog>
  );
}

/** The number, where it is known in time; the rule in any case. */
function HeldGrants({ userId }: { userId: string }) {
  const { slug } = useWorkspace();
  const { data } = useQuery({
    queryKey: keys.grants(slug, 'held-by', userId),
    queryFn: ({ signal }) =>
      call(
        api.GET('/api/workspaces/{slug}/grants', {
          params: { path: { slug }, query: { user_subject_id: userId, state: 'active', limit: 200 } },
          signal,
        }),
      ),
  });
  const active = data?.grants.length;
  if (active === undefined || active === 0 || data?.next_cursor !== null) {
    return 'every grant that they hold is';
  }
  return active === 1 ? 'the one grant that they hold is' : `the ${active} grants that they hold are`;
}
