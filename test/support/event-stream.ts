/** Reads a session's events as a browser does: one server-sent event after the other. */
import type { SessionEvent } from '../../contract/session-event.ts';

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
    let rest = '';
    const decoder = new TextDecoder();
    for await (const chunk of response.body ?? []) {
      const frames = (rest + decoder.decode(chunk, { stream: true })).split('\n\n');
      rest = frames.pop() ?? '';
      for (const frame of frames) {
        this.take(frame);
      }
    }
  }

  private take(frame: string): void {
    if (frame.startsWith(':')) {
      this.comments += 1;
      return;
    }
    const [, id, data] = /^id: (\d+)\ndata: (.*)$/.exec(frame) ?? [];
    if (id === undefined || data === undefined) {
      throw new Error(`not an event: ${frame}`);
    }
    this.ids.push(id);
    this.events.push(JSON.parse(data) as SessionEvent);
  }
}
