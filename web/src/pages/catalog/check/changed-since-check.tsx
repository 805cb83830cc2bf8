import { useQuery } from '@tanstack/react-query';
import { changedServers } from '../../../api/use-all.ts';
import { useWorkspace } from '../../../app/signed-in.tsx';
import { ChangedTools } from '../entry-tools.tsx';

/** For a check that has ended: leads to what it listed and no admin has accepted. */
export function ChangedSinceCheck({ name }: { name: string }) {
  // Whatever was read before the check ended is too old.
  useQuery({ ...changedServers(useWorkspace().slug), refetchOnMount: 'always' });
  return <ChangedTools name={name} />;
}
