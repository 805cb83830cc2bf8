import { useQuery } from '@tanstack/react-query';
import { api, call } from '../../api/client.ts';
import { keys } from '../../api/keys.ts';
import type { Session, ToolCall } from '../../api/types.ts';
import { useList } from '../../api/use-list.ts';

const pageSize = 200;
/**
 * The last calls are recorded while the session ends, and shortly after, when the stream
 * tells nothing more of it.
 */
const recordedWithinMs = 15_000;
const lookEveryMs = 5_000;
const endedJustNow = ({ ended_at: at }: Session) =>
  at !== null && Date.now() - Date.parse(at) < recordedWithinMs;
/** How often to poll without news from the stream. */
const lookAgain = (session: Session) => (endedJustNow(session) ? lookEveryMs : false);

/** A session's tool calls. The stream says when there are more. */
export function useToolCalls(session: Session) {
  const sessionId = session.id;
  return useList<ToolCall>({
    queryKey: keys.session(sessionId, 'tool-calls'),
    refetchInterval: () => lookAgain(session),
    async fetchPage({ cursor, signal }) {
      const query = { limit: pageSize, ...(cursor === undefined ? {} : { cursor }) };
      const params = { path: { session_id: sessionId }, query };
      const page = await call(api.GET('/api/sessions/{session_id}/tool-calls', { params, signal }));
      return { items: page.tool_calls, next_cursor: page.next_cursor };
    },
  });
}

/** Its calls that wait for their server. The stream says when there are others. */
export function useOpenCalls(session: Session) {
  return useQuery({
    queryKey: keys.session(session.id, 'open-calls'),
    queryFn({ signal }) {
      const params = { path: { session_id: session.id } };
      return call(api.GET('/api/sessions/{session_id}/tool-calls/open', { params, signal }));
    },
  });
}

/** Its calls that were refused beyond a limit, as counts. */
export function useRefusedCalls(session: Session) {
  return useQuery({
    queryKey: keys.session(session.id, 'refused-calls'),
    refetchInterval: () => lookAgain(session),
    queryFn({ signal }) {
      const params = { path: { session_id: session.id } };
      return call(api.GET('/api/sessions/{session_id}/tool-calls/refused', { params, signal }));
    },
  });
}
