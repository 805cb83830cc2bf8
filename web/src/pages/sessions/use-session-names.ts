/** Names of the people in a transcript. */
import { useQuery } from '@tanstack/react-query';
import { api, call } from '../../api/client.ts';
import { keys } from '../../api/keys.ts';
import type { Session } from '../../api/types.ts';
import { usePeople } from '../../api/use-names.ts';
import { useMe, useWorkspace } from '../../app/signed-in.tsx';

const mostRequests = 200;

/** Knows the person, the session's operators, those who answered its requests and those of sessions below it, and the members of the workspace; nobody else's name. */
export function useSessionNames({ id, operator, root_operator: root }: Session): (userId: string) => string {
  const me = useMe();
  const members = usePeople();
  const { slug } = useWorkspace();
  const requests = useQuery({
    queryKey: keys.permissionRequests(slug, 'of-tree', id),
    queryFn: ({ signal }) => {
      const params = { path: { slug }, query: { tree: id, limit: mostRequests } };
      return call(api.GET('/api/workspaces/{slug}/permission-requests', { params, signal }));
    },
  });
  const known = new Map<string, string>();
  const deciders = (requests.data?.permission_requests ?? []).map(({ decider }) => decider);
  for (const person of [operator, root, ...deciders]) {
    if (person !== null) {
      known.set(person.id, person.name);
    }
  }
  const stranger = members.isComplete ? 'A former member' : 'Someone';
  return (userId) =>
    userId === me.user.id ? 'You' : (known.get(userId) ?? members.nameOf(userId) ?? stranger);
}
