/** Names of the people and agents of a workspace, for pages that only have their ids. */
import { useQuery } from '@tanstack/react-query';
import { useMe, useWorkspace } from '../app/signed-in.tsx';
import { api, call } from './client.ts';
import { keys } from './keys.ts';
import type { Agent } from './types.ts';
import { allAgents, fetchAll } from './use-all.ts';

export interface Known {
  id: string;
  name: string;
}

export interface KnownPerson extends Known {
  /** Null for those who may not see it. */
  email: string | null;
}

const maxPeople = 2_000;
/** Names change rarely: a page does not read them again each time that it gets the focus. */
const staleTime = 60_000;

/**
 * The members of the workspace, at most 2,000. `isComplete`: the list has every member,
 * so anyone else has left.
 */
export function usePeople(): {
  people: KnownPerson[];
  nameOf(id: string): string | null;
  isComplete: boolean;
} {
  const { slug } = useWorkspace();
  const { user } = useMe();
  const { data } = useQuery({
    queryKey: keys.members(slug, 'names'),
    staleTime,
    queryFn: ({ signal }) =>
      fetchAll(async (query) => {
        const params = { path: { slug }, query };
        const page = await call(api.GET('/api/workspaces/{slug}/members', { params, signal }));
        return {
          items: page.members.map(({ user: { id, name, email } }) => ({ id, name, email })),
          next_cursor: page.next_cursor,
        };
      }, maxPeople),
  });
  const people = data ?? [user];
  return { people, nameOf: namesIn(people), isComplete: data !== undefined && data.length < maxPeople };
}

/** The members as `usePeople` has them, and all agents. */
export function useNames(): { people: KnownPerson[]; agents: Agent[]; nameOf(id: string): string | null } {
  const { slug } = useWorkspace();
  const { people } = usePeople();
  const agents = useQuery({ ...allAgents(slug), staleTime }).data ?? [];
  return { people, agents, nameOf: namesIn([...people, ...agents]) };
}

function namesIn(known: readonly Known[]): (id: string) => string | null {
  const names = new Map(known.map(({ id, name }) => [id, name]));
  return (id) => names.get(id) ?? null;
}
