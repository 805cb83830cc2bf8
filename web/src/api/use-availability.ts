import { useQuery } from '@tanstack/react-query';
import { useWorkspace } from '../app/signed-in.tsx';
import { api, call } from './client.ts';
import { keys } from './keys.ts';
import type { Availability } from './types.ts';

/**
 * What cannot be used on this installation, and why. Undefined until it is known: nothing is ruled out then.
 */
export function useAvailability(): Availability | undefined {
  const { slug } = useWorkspace();
  const { data } = useQuery({
    queryKey: keys.availability(slug),
    queryFn: ({ signal }) =>
      call(api.GET('/api/workspaces/{slug}/availability', { params: { path: { slug } }, signal })),
    staleTime: 60_000,
  });
  return data?.availability;
}
