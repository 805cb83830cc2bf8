/** Reads a session's events as a browser does: one server-sent event after the other. */
import { createParser, type EventSourceMessage } from 'eventsource-parser';
import type { SessionEvent } from '../../contract/session-event.ts';
import { ownConnection } from './own-connection.ts';

export class EventReader {
  readonly status: number;
  readonly contentType: string;
  /** Everything received so far, in order. */
  readonly events: SessionEvent[] = [];
  /** Ids as the stream gave them, for resuming. */
  readonly ids: string[] = [];
  comments = 0;
  /** Resolves when the server ends the stream. */
  readonly ended: Promise<void>;
  private readonly abort: AbortController;

  private constructor(response: Response, abort: AbortController) {
    this.status = response.status;
    this.contentType = response.headers.get('content-type') ?? '';
    this.abort = abort;
    this.ended = this.read(response).catch(() => undefined);
  }

  static async open(
    url: string,
    { cookie, lastEventId }: { cookie: string; lastEventId?: string | undefined },
  ): Promise<EventReader> {
    const abort = new AbortController();
    const response = await fetch(url, {
      signal: abort.signal,
      headers: {
        ...ownConnection,
        cookie,
        accept: 'text/event-stream',
        ...(lastEventId === undefined ? {} : { 'last-event-id': lastEventId }),
      },
    });
    return new EventReader(response, abort);
  }

  close(): void {
    this.abort.abort();
  }

  private async read(response: Response): Promise<void> {
    const parser = createParser({
      onEvent: (event) => this.take(event),
      onComment: () => {
        this.comments += 1;
      },
    });
    const decoder = new TextDecoder();
    for await (const chunk of response.body ?? []) {
      parser.feed(decoder.decode(chunk, { stream: true }));
    }
  }

  private take({ id, data }: EventSourceMessage): void {
    if (id === undefined || !/^\d+$/.test(id)) {
      throw new Error(`an event without a number: ${data}`);
    }
    this.ids.push(id);
    this.events.push(JSON.parse(data) as SessionEvent);
  }
}
