import type { TranscriptEvent } from './session-event-type.ts';

/**
 * Ids of the requests, of this session and those below it, that its events do not show as
 * decided; oldest first. Pure.
 */
export function undecidedRequests(events: readonly TranscriptEvent[]): string[] {
  const open = new Set<string>();
  for (const { content } of events) {
    if (content?.type === 'agent.permission_request') {
      open.add(content.payload.request_id);
    } else if (content?.type === 'permission.decided') {
      open.delete(content.payload.request_id);
    }
  }
  return [...open];
}
