import { Button, Group } from '@mantine/core';
import { useState } from 'react';
import type { ListedMember } from '../../api/types.ts';
import { useMe, useWorkspace } from '../../app/signed-in.tsx';
import { Pill } from '../../components/pill.tsx';
import { RelativeTime } from '../../components/relative-time.tsx';
import { VisibleText } from '../../components/visible-text.tsx';
import { ChangeRoleDialog } from './change-role-dialog.tsx';
import { RemoveMemberDialog } from './remove-member-dialog.tsx';

/** Who it is; what can be done about it is for admins, and so is the address (null for others). */
export function MemberRow({ member }: { member: ListedMember }) {
  const { user, role, made_by: madeBy, added_at: addedAt } = member;
  const { isAdmin } = useWorkspace();
  const isMe = useMe().user.id === user.id;
  return (
    <tr>
      <td>
        <VisibleText text={user.name} /> {isMe ? <Pill tone="idle">you</Pill> : null}
      </td>
      {isAdmin ? (
        <td>
          <VisibleText text={user.email ?? ''} />
        </td>
      ) : null}
      <td>
        {role === 'admin' ? 'Admin' : 'Member'} {madeBy === 'rule' ? <Pill tone="idle">by group</Pill> : null}
      </td>
      <td>
        <RelativeTime at={addedAt} />
      </td>
      {isAdmin ? (
        <td>
          <Actions member={member} />
        </td>
      ) : null}
    </tr>
  );
}

function Actions({ member }: { member: ListedMember }) {
  const { user, role } = member;
  const [asked, setAsked] = useState<'role' | 'removal' | null>(null);
  const close = () => setAsked(null);
  return (
    <>
      <Group gap="xs" justify="flex-end" wrap="nowrap">
        <Button
          size="compact-sm"
          variant="default"
          aria-label={`Make ${role === 'admin' ? 'a member' : 'an admin'}: ${user.name}`}
          onClick={() => setAsked('role')}
        >
          {role === 'admin' ? 'Make a member' : 'Make an admin'}
        </Button>
        <Button
          size="compact-sm"
          variant="default"
          aria-label={`Remove: ${user.name}`}
          onClick={() => setAsked('removal')}
        >
          Remove
        </Button>
      </Group>
      {asked === 'role' ? <ChangeRoleDialog member={member} onClose={close} /> : null}
      {asked === 'removal' ? <RemoveMemberDialog member={member} onClose={close} /> : null}
    </>
  );
}
