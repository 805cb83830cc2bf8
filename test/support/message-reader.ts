/** Reads the stream of a browser (`GET /api/me/stream`), message by message. */
import { createParser } from 'eventsource-parser';
import type { StreamMessage } from '../../contract/browser-stream.ts';
import { ownConnection } from './own-connection.ts';

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
    const headers = { ...ownConnection, cookie, accept: 'text/event-stream' };
    return new MessageReader(await fetch(url, { signal: abort.signal, headers }), abort);
  }

  close(): void {
    this.abort.abort();
  }

  private async read(response: Response): Promise<void> {
    const parser = createParser({ onEvent: ({ data }) => this.messages.push(JSON.parse(data)) });
    const decoder = new TextDecoder();
    for await (const chunk of response.body ?? []) {
      parser.feed(decoder.decode(chunk, { stream: true }));
    }
  }
}
