import { useQuery } from '@tanstack/react-query';
import { api, call } from '../../api/client.ts';
import { keys } from '../../api/keys.ts';

/** What the session runs with: fixed at its start, so it is read once. */
export function useConfiguration(sessionId: string) {
  return useQuery({
    queryKey: keys.session(sessionId, 'configuration'),
    queryFn: ({ signal }) => {
      const params = { path: { session_id: sessionId } };
      return call(api.GET('/api/sessions/{session_id}/configuration', { params, signal }));
    },
    staleTime: Number.POSITIVE_INFINITY,
  });
}
