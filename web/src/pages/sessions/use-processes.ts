import { useQuery } from '@tanstack/react-query';
import { api, call } from '../../api/client.ts';
import { keys } from '../../api/keys.ts';

/** The state of a session's processes; the stream tells when to read it again. */
export function useProcesses(sessionId: string) {
  return useQuery({
    queryKey: keys.session(sessionId, 'processes'),
    queryFn({ signal }) {
      const params = { path: { session_id: sessionId } };
      return call(api.GET('/api/sessions/{session_id}/processes', { params, signal }));
    },
  });
}
