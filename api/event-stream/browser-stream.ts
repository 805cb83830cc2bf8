/** One stream for all tabs of a browser (docs/decisions/0025-one-stream-for-all-tabs.md). */
import type { StreamSource } from './access.ts';
import { type StreamOptions, ViewerStream } from './viewer-stream.ts';

/** Yields server-sent events. Ends when the sign-in has ended and when the signal aborts. */
export async function* streamToBrowser(source: StreamSource, options: StreamOptions): AsyncGenerator<string> {
  const stream = new ViewerStream(source, options);
  try {
    for await (const message of stream.messages()) {
      yield message === null ? ': still here\n\n' : `data: ${JSON.stringify(message)}\n\n`;
    }
  } finally {
    stream.close();
  }
}
