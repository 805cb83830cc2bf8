import { api, call } from '../../api/client.ts';
import type { SessionEvent, ToolCall } from '../../api/types.ts';
import { fetchAll } from '../../api/use-all.ts';

const pageSize = 200;

/** Saves all events and calls of a session, each oldest first, as a JSON file. Rejects with an ApiFailure. */
export async function exportTranscript(sessionId: string): Promise<void> {
  const events: SessionEvent[] = [];
  const path = { session_id: sessionId };
  // A page may be shorter than asked for where its events are large: only an empty one is the end.
  for (;;) {
    const query = { after: events.at(-1)?.seq ?? 0, limit: pageSize };
    const page = await call(api.GET('/api/sessions/{session_id}/events', { params: { path, query } }));
    if (page.events.length === 0) {
      break;
    }
    events.push(...page.events);
  }
  const calls: ToolCall[] = await fetchAll(async (query) => {
    const page = await call(api.GET('/api/sessions/{session_id}/tool-calls', { params: { path, query } }));
    return { items: page.tool_calls, next_cursor: page.next_cursor };
  });
  const content = { session_id: sessionId, events, tool_calls: calls.toReversed() };
  const file = new Blob([JSON.stringify(content, null, 2)], {
    type: 'application/json',
  });
  const link = document.createElement('a');
  link.href = URL.createObjectURL(file);
  link.download = `session-${sessionId}.json`;
  link.click();
  URL.revokeObjectURL(link.href);
}
