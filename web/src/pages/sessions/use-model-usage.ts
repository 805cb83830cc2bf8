import { useQuery } from '@tanstack/react-query';
import { api, call } from '../../api/client.ts';
import { keys } from '../../api/keys.ts';
import type { Session } from '../../api/types.ts';
import { hasEnded } from './status-text.ts';

/** Requests have no events of their own. */
const refetchMs = 5_000;

/** What a session has used of its access to a language model; null in it for one without. */
export function useModelUsage({ id, status }: Session) {
  return useQuery({
    queryKey: keys.session(id, 'model-usage'),
    queryFn({ signal }) {
      const params = { path: { session_id: id } };
      return call(api.GET('/api/sessions/{session_id}/model-usage', { params, signal }));
    },
    // Before the freeze it is not known whether there is any.
    refetchInterval: ({ state }) =>
      hasEnded(status) || (status === 'running' && state.data?.model_usage === null) ? false : refetchMs,
  });
}
