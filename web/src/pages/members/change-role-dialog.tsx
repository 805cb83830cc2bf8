import { Text } from '@mantine/core';
import { api, call } from '../../api/client.ts';
import { stale } from '../../api/stale.ts';
import type { ListedMember } from '../../api/types.ts';
import { useApiMutation } from '../../api/use-api-mutation.ts';
import { useMe, useWorkspace } from '../../app/signed-in.tsx';
import { ConfirmDialog } from '../../components/confirm-dialog.tsx';
import { VisibleText } from '../../components/visible-text.tsx';
import { meaningOfRole } from './role-text.ts';

/** From admin to member and back. */
export function ChangeRoleDialog({ member, onClose }: { member: ListedMember; onClose: () => void }) {
  const { slug } = useWorkspace();
  const isMe = useMe().user.id === member.user.id;
  const role = member.role === 'admin' ? 'member' : 'admin';
  const change = useApiMutation({
    send: () =>
      call(
        api.PUT('/api/workspaces/{slug}/members/{user_id}', {
          params: { path: { slug, user_id: member.user.id } },
          body: { role },
        }),
      ),
    invalidates: stale.role(slug),
    onSuccess: onClose,
  });
  return (
    <ConfirmDialog
      opened
      onClose={onClose}
      title={role === 'admin' ? 'Make an admin' : 'Make a member'}
      confirmLabel={role === 'admin' ? 'Make an admin' : 'Make a member'}
      onConfirm={() => change.mutate()}
      pending={change.isPending}
      error={change.error}
    >
      <Text>
        <VisibleText text={member.user.name} />
        {isMe ? ' (you)' : ''} becomes {role === 'admin' ? 'an admin' : 'a member'}. {meaningOfRole[role]}
      </Text>
      {member.made_by === 'rule' && !isMe ? (
        <Text>A group gave them their role. From now on no group changes or ends it.</Text>
      ) : null}
      {role === 'member' ? (
        <Text>{isMe ? 'Only another admin can undo this. ' : ''}Grants that they created are kept.</Text>
      ) : null}
    </ConfirmDialog>
  );
}
