import { api, call } from '../../api/client.ts';
import { keys } from '../../api/keys.ts';
import type { ToolCall } from '../../api/types.ts';
import { useList } from '../../api/use-list.ts';

const lookEveryMs = 2_000;
const pageSize = 200;

/** A session's tool calls, read again and again while `goesOn`. */
export function useToolCalls(sessionId: string, { goesOn }: { goesOn: boolean }) {
  return useList<ToolCall>({
    queryKey: keys.session(sessionId, 'tool-calls'),
    refetchInterval: goesOn ? lookEveryMs : false,
    async fetchPage({ cursor, signal }) {
      const query = { limit: pageSize, ...(cursor === undefined ? {} : { cursor }) };
      const params = { path: { session_id: sessionId }, query };
      const page = await call(api.GET('/api/sessions/{session_id}/tool-calls', { params, signal }));
      return { items: page.tool_calls, next_cursor: page.next_cursor };
    },
  });
}
