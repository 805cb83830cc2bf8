/**
 * One session's events as server-sent events: a viewer's stream of this session, without what else it says.
 */
import { terminalStatus } from '../../contract/session.ts';
import type { SessionEvent } from '../../contract/session-event.ts';
import type { StreamSource } from './access.ts';
import { type StreamOptions, ViewerStream } from './viewer-stream.ts';

type SessionStreamOptions = Pick<StreamOptions, 'timing' | 'signal'> & { sessionId: string; after: number };

/** Ends after the event of a terminal status, when access is lost, and when `signal` aborts. */
export async function* streamSessionEvents(
  { feed, ...source }: StreamSource,
  { sessionId, after, ...options }: SessionStreamOptions,
): AsyncGenerator<string> {
  // Changes of the workspace's lists need not wake it.
  const ownFeed = { ...feed, subscribeWorkspace: () => () => undefined };
  const stream = new ViewerStream(
    { ...source, feed: ownFeed },
    { ...options, after: new Map([[sessionId, after]]) },
  );
  try {
    for await (const message of stream.messages()) {
      if (message?.type === 'session.closed' || message?.type === 'signed_out') {
        return;
      }
      // A comment in place of what is no event.
      yield message?.type === 'session.event' ? frame(message.event) : ': still here\n\n';
      if (message?.type === 'session.event' && isEnd(message.event)) {
        return;
      }
    }
  } finally {
    stream.close();
  }
}

/** `id` lets a client resume; `data` is one line, since JSON escapes line breaks. */
function frame(event: SessionEvent): string {
  return `id: ${event.seq}\ndata: ${JSON.stringify(event)}\n\n`;
}

function isEnd(event: SessionEvent): boolean {
  return event.type === 'session.status_changed' && terminalStatus.safeParse(event.payload['to']).success;
}
