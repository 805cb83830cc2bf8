import { Button } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { api, call } from '../../api/client.ts';
import { keys } from '../../api/keys.ts';
import type { ListedMember } from '../../api/types.ts';
import { useList } from '../../api/use-list.ts';
import { useWorkspace } from '../../app/signed-in.tsx';
import { DataTable } from '../../components/data-table.tsx';
import { Icon } from '../../components/icon.tsx';
import { PageFrame } from '../../components/page-frame.tsx';
import { ListState } from '../../components/query-state.tsx';
import { EmptyState } from '../../components/state-views.tsx';
import { AddMemberDialog } from './add-member-dialog.tsx';
import { MemberRow } from './member-row.tsx';

export function MembersPage() {
  const { slug, isAdmin } = useWorkspace();
  const [adding, add] = useDisclosure();
  const list = useList<ListedMember>({
    queryKey: keys.members(slug, 'list'),
    async fetchPage({ cursor, signal }) {
      const params = { path: { slug }, query: cursor === undefined ? {} : { cursor } };
      const page = await call(api.GET('/api/workspaces/{slug}/members', { params, signal }));
      return { items: page.members, next_cursor: page.next_cursor };
    },
  });
  return (
    <PageFrame
      title="Members"
      width="list"
      description={
        isAdmin
          ? 'People with access to this workspace. Admins manage it; members run agents and answer the requests of their own sessions.'
          : 'People with access to this workspace. Admins add and remove members, and manage secrets, MCP servers and settings.'
      }
      actions={
        isAdmin ? (
          <Button onClick={add.open} leftSection={<Icon name="plus" size={14} />}>
            Add member
          </Button>
        ) : null
      }
    >
      <ListState list={list} what="The list of members" empty={<EmptyState title="No members yet" />}>
        {(members) => <MembersTable members={members} />}
      </ListState>
      {/* The form is recreated each time that it opens. */}
      {adding ? <AddMemberDialog members={list.items ?? []} onClose={add.close} /> : null}
    </PageFrame>
  );
}

function MembersTable({ members }: { members: ListedMember[] }) {
  const { isAdmin } = useWorkspace();
  return (
    <DataTable
      isFlush
      label="Members"
      columns={[
        'Name',
        isAdmin ? 'E-mail address' : null,
        'Role',
        'Added',
        isAdmin ? { name: 'Actions', isHidden: true } : null,
      ]}
      minWidth={isAdmin ? 760 : 280}
    >
      {members.map((member) => (
        <MemberRow key={member.user.id} member={member} />
      ))}
    </DataTable>
  );
}
