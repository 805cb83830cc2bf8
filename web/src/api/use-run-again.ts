import { useLocation } from 'wouter';
import { pathOf } from '../app/paths.ts';
import { api, call } from './client.ts';
import { keys } from './keys.ts';
import { useApiMutation } from './use-api-mutation.ts';
import { useIdempotencyKey } from './use-idempotency-key.ts';

/** Starts a session of the same agent with the same prompt, for oneself, and shows it. */
export function useRunAgain(slug: string) {
  const [, navigate] = useLocation();
  const keyFor = useIdempotencyKey();
  return useApiMutation({
    async send(sessionId: string) {
      const of = { params: { path: { session_id: sessionId } } };
      const { session } = await call(api.GET('/api/sessions/{session_id}', of));
      const body = { agent_id: session.agent_id, prompt: session.prompt };
      const params = { path: { slug }, header: keyFor({ sessionId }) };
      return call(api.POST('/api/workspaces/{slug}/sessions', { params, body }));
    },
    invalidates: [keys.sessions(slug)],
    onSuccess: ({ session }) => navigate(pathOf(slug, 'sessions', session.id)),
  });
}
