/**
 * A session's events as server-sent events. Events are read from the table by their `seq`, which the session's row lock
 * keeps in commit order; announcements only say when to read. So nothing is lost or doubled between backlog and live.
 */

import { terminalStatus } from '../../contract/session.ts';
import type { SessionEvent } from '../../contract/session-event.ts';
import { Bell } from './bell.ts';

export interface StreamSource {
  /** The next events with `seq` above `after`, in order. */
  read(after: number): Promise<SessionEvent[]>;
  /** Calls back when there may be more; returns the unsubscribe function. */
  subscribe(wake: () => void): () => void;
  /** Whether the reader still has access. */
  mayRead(): Promise<boolean>;
}

export interface StreamTiming {
  /** How often access is checked, and the table polled without an announcement. */
  checkMs: number;
  /** A comment line after this long without an event keeps proxies from closing the connection. */
  heartbeatMs: number;
}

/** Ends after the event of a terminal status, when access is lost, and when `signal` aborts. */
export async function* streamSessionEvents(
  source: StreamSource,
  { after, timing, signal }: { after: number; timing: StreamTiming; signal: AbortSignal },
): AsyncGenerator<string> {
  const bell = new Bell(signal);
  const unsubscribe = source.subscribe(() => bell.ring());
  let seen = after;
  let sentAt = Date.now();
  try {
    yield ': open\n\n';
    while (!signal.aborted && (await source.mayRead())) {
      for (let events = await source.read(seen); events.length > 0; events = await source.read(seen)) {
        for (const event of events) {
          yield frame(event);
          seen = event.seq;
          if (isEnd(event)) {
            return;
          }
        }
        sentAt = Date.now();
        if (signal.aborted || !(await source.mayRead())) {
          return;
        }
      }
      if (Date.now() - sentAt >= timing.heartbeatMs) {
        yield ': still here\n\n';
        sentAt = Date.now();
      }
      await bell.wait(timing.checkMs);
    }
  } finally {
    unsubscribe();
  }
}

/** `id` lets a client resume; `data` is one line, since JSON escapes line breaks. */
function frame(event: SessionEvent): string {
  return `id: ${event.seq}\ndata: ${JSON.stringify(event)}\n\n`;
}

function isEnd(event: SessionEvent): boolean {
  return event.type === 'session.status_changed' && terminalStatus.safeParse(event.payload['to']).success;
}
