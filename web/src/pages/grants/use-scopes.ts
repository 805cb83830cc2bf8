/** The scopes that the catalog names, and the tools behind each. */
import { useQuery } from '@tanstack/react-query';
import { allServers } from '../../api/use-all.ts';
import { useWorkspace } from '../../app/signed-in.tsx';
import { scopesOfEntries } from './scopes-of-entries.ts';

export function useScopes() {
  const { slug } = useWorkspace();
  return useQuery({ ...allServers(slug), select: scopesOfEntries });
}
