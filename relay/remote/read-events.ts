/** Events of a stream (SSE), within bounds. */
import { createParser } from 'eventsource-parser';
import { OutboundError } from '../../lib/outbound/errors.ts';
import { createLineEnds } from '../../lib/outbound/line-ends.ts';
import { utf8Decoder } from './utf8-decoder.ts';

export type StreamEvent =
  | { kind: 'event'; id: string | null; type: string; data: string }
  | { kind: 'retry'; delayMs: number };

/** Of an event, beside its data. */
const fieldBytes = 16 * 1024;

/**
 * Throws OutboundError `too_large` for an event that is, `invalid_response` for bytes that are not
 * UTF-8, and errors of the body.
 */
export async function* readEvents(
  body: AsyncIterable<Buffer>,
  maxBytes: number,
  host: string,
): AsyncGenerator<StreamEvent> {
  const tooLarge = new OutboundError(
    'too_large',
    `${host} sent a message that is larger than ${maxBytes} bytes`,
  );
  let events: StreamEvent[] = [];
  let isTooLarge = false;
  const parser = createParser({
    onEvent: ({ id = null, event = '', data }) => events.push({ kind: 'event', id, type: event, data }),
    onRetry: (delayMs) => events.push({ kind: 'retry', delayMs }),
    onError: ({ type }) => {
      isTooLarge ||= type === 'max-buffer-size-exceeded';
    },
    // It counts characters, of which there are at most as many as bytes.
    maxBufferSize: maxBytes + fieldBytes,
  });
  const decode = utf8Decoder(host);
  const lineEnds = createLineEnds();
  for await (const chunk of body) {
    parser.feed(lineEnds(decode(chunk)));
    for (const event of events) {
      if (event.kind === 'event' && Buffer.byteLength(event.data) > maxBytes) {
        throw tooLarge;
      }
      yield event;
    }
    events = [];
    if (isTooLarge) {
      throw tooLarge;
    }
  }
}
