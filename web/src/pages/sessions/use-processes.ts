import { useQuery } from '@tanstack/react-query';
import { api, call } from '../../api/client.ts';
import { keys } from '../../api/keys.ts';

const lookEveryMs = 15_000;

/** How the processes of a session stand, read again and again while it goes on. */
export function useProcesses(sessionId: string, { goesOn }: { goesOn: boolean }) {
  return useQuery({
    queryKey: keys.session(sessionId, 'processes'),
    queryFn({ signal }) {
      const params = { path: { session_id: sessionId } };
      return call(api.GET('/api/sessions/{session_id}/processes', { params, signal }));
    },
    refetchInterval: goesOn ? lookEveryMs : false,
  });
}
