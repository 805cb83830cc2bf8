/** Names of the people and agents of a workspace, for pages that only have their ids. */
import { useQuery } from '@tanstack/react-query';
import { useMe, useWorkspace } from '../app/signed-in.tsx';
import { api, call } from './client.ts';
import { keys } from './keys.ts';
import { fetchAll } from './use-all.ts';

export interface Known {
  id: string;
  name: string;
}

export interface KnownAgent extends Known {
  ownerId: string | null;
}

const most = 2_000;

/**
 * The members of the workspace and its agents read so far, up to the first 2,000. `isComplete` says
 * whether every member is known, so that anybody not among them has left.
 */
export function useNames(): {
  people: Known[];
  agents: KnownAgent[];
  nameOf(id: string): string | null;
  isComplete: boolean;
} {
  const { slug } = useWorkspace();
  const { user } = useMe();
  const members = useQuery({
    queryKey: keys.members(slug, 'names'),
    staleTime: 60_000,
    queryFn: ({ signal }) =>
      fetchAll(async (query) => {
        const params = { path: { slug }, query };
        const page = await call(api.GET('/api/workspaces/{slug}/members', { params, signal }));
        return {
          items: page.members.map(({ user: { id, name } }) => ({ id, name })),
          next_cursor: page.next_cursor,
        };
      }, most),
  });
  const agents = useQuery({
    queryKey: keys.agents(slug, 'names'),
    staleTime: 60_000,
    queryFn: ({ signal }) =>
      fetchAll(async (query) => {
        const params = { path: { slug }, query };
        const page = await call(api.GET('/api/workspaces/{slug}/agents', { params, signal }));
        return {
          items: page.agents.map(({ id, name, owner_id: ownerId }) => ({ id, name, ownerId })),
          next_cursor: page.next_cursor,
        };
      }, most),
  });
  const people = members.data ?? [user];
  const known = new Map([...people, ...(agents.data ?? [])].map(({ id, name }) => [id, name]));
  const isComplete = members.data !== undefined && members.data.length < most;
  return { people, agents: agents.data ?? [], nameOf: (id) => known.get(id) ?? null, isComplete };
}
