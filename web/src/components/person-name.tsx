import { Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { api, call } from '../api/client.ts';
import { keys } from '../api/keys.ts';
import { fetchAll } from '../api/use-all.ts';
import { useMe, useWorkspace } from '../app/signed-in.tsx';
import { CopyableId } from './copyable-id.tsx';
import { VisibleText } from './visible-text.tsx';

/** Who did something: "you", a member's name where one may read the members, else their id. */
export function PersonName({ id }: { id: string | null }) {
  const me = useMe();
  const { slug, isAdmin } = useWorkspace();
  const members = useQuery({
    queryKey: keys.members(slug, 'all'),
    queryFn: ({ signal }) =>
      fetchAll(async (query) => {
        const params = { path: { slug }, query };
        const page = await call(api.GET('/api/workspaces/{slug}/members', { params, signal }));
        return { items: page.members, next_cursor: page.next_cursor };
      }),
    enabled: isAdmin && id !== null && id !== me.user.id,
    staleTime: 60_000,
  });
  if (id === null) {
    return (
      <Text span inherit c="dimmed">
        somebody who has left
      </Text>
    );
  }
  if (id === me.user.id) {
    return 'you';
  }
  const member = members.data?.find(({ user }) => user.id === id);
  return member === undefined ? <CopyableId id={id} /> : <VisibleText text={member.user.name} />;
}
