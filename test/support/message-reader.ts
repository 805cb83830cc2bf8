/** Reads the stream of a browser (`GET /api/me/stream`), message by message. */
import type { StreamMessage } from '../../contract/browser-stream.ts';
import { EventStreamParser } from '../../web/src/api/event-stream.ts';

export class MessageReader {
  readonly status: number;
  /** Everything received so far, in order. */
  readonly messages: StreamMessage[] = [];
  /** Resolves when the server ends the stream. */
  readonly ended: Promise<void>;
  private readonly abort: AbortController;

  private constructor(response: Response, abort: AbortController) {
    this.status = response.status;
    this.abort = abort;
    this.ended = this.read(response).catch(() => undefined);
  }

  static async open(url: string, cookie: string): Promise<MessageReader> {
    const abort = new AbortController();
    const headers = { cookie, accept: 'text/event-stream' };
    return new MessageReader(await fetch(url, { signal: abort.signal, headers }), abort);
  }

  close(): void {
    this.abort.abort();
  }

  private async read(response: Response): Promise<void> {
    const parser = new EventStreamParser();
    const decoder = new TextDecoder();
    for await (const chunk of response.body ?? []) {
      const data = parser.push(decoder.decode(chunk, { stream: true }));
      this.messages.push(...data.map((text): StreamMessage => JSON.parse(text)));
    }
  }
}
