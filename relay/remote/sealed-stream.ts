/** Turns the events of a server's stream into those that the SDK's transport is given. */
import { explainConnectionError } from '../../lib/outbound/connection-errors.ts';
import { OutboundError } from '../../lib/outbound/errors.ts';
import type { HttpAnswer } from '../../lib/outbound/send.ts';
import { withinSilence } from '../../lib/outbound/within-silence.ts';
import type { LineOutput } from '../../lib/timing/lines.ts';
import type { BridgeLimits } from './limits.ts';
import type { OpenMessage } from './open-messages.ts';
import { readEvents, type StreamEvent } from './read-events.ts';
import { refuseEncoding } from './read-text.ts';
import type { SealedMessages } from './sealed-messages.ts';
import { parseServerText, type ServerMessage } from './server-message.ts';
import type { StreamPosition } from './stream-position.ts';

export interface StreamDependencies {
  limits: BridgeLimits;
  sealed: SealedMessages;
  output: LineOutput;
  /**
   * Answers a request with an error; null for the server's own stream, of which nobody waits for an answer.
   */
  fail(open: OpenMessage | null, error: unknown): void;
  report(line: string): void;
}

export interface ServerStream {
  /** Names it within this process. */
  key: string;
  position: StreamPosition;
  /** Whose it is; null for the server's own. */
  open: OpenMessage | null;
  /** Aborted when nobody reads it any more. */
  signal: AbortSignal;
}

/** Events as bytes, which are read from the server when the transport asks for them. */
export function sealStream(
  dependencies: StreamDependencies,
  stream: ServerStream,
  answer: HttpAnswer,
): ReadableStream<Uint8Array> {
  refuseEncoding(answer);
  const events = sealEvents(dependencies, stream, answer);
  const encoder = new TextEncoder();
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const next = await events.next();
        if (next.done) {
          controller.close();
        } else {
          controller.enqueue(encoder.encode(next.value));
        }
      },
      async cancel() {
        answer.body.destroy();
        await events.return(undefined);
      },
    },
    { highWaterMark: 0 },
  );
}

/**
 * The transport gets one id for all events of a stream that can be continued: where, is in its position. Ends
 * after the answer to the stream's own request, also when the server would leave the stream open.
 */
async function* sealEvents(
  dependencies: StreamDependencies,
  stream: ServerStream,
  { url, body }: HttpAnswer,
): AsyncGenerator<string> {
  const { limits, sealed, output, report } = dependencies;
  const { key, position, open } = stream;
  const silenceMs = silenceFor(limits, open);
  const late = new OutboundError('timed_out', `${url.host} sent nothing for ${silenceMs / 1000} seconds`);
  const chunks = withinSilence(body, silenceMs, late);
  const first = `id: ${key}\ndata:\n\n`;
  let hasId = open === null || position.lastEventId !== null;
  try {
    if (hasId) {
      yield first;
    }
    for await (const event of readEvents(chunks, limits.answerBytes, url.host)) {
      follow(position, event, open);
      if (!hasId && position.lastEventId !== null) {
        hasId = true;
        yield first;
      }
      for (const message of messagesIn(event, open, url.host, report)) {
        position.succeeded();
        await output.hasRoom();
        yield `data: ${sealed.seal(message)}\n\n`;
        if (message.answers !== null) {
          return;
        }
      }
    }
  } catch (error) {
    throw failStream(dependencies, stream, explainConnectionError(url, error));
  } finally {
    body.destroy();
  }
}

const methodOf = ({ message }: OpenMessage): string => (message.kind === 'response' ? '' : message.method);

const silenceFor = (limits: BridgeLimits, open: OpenMessage | null): number =>
  open === null || methodOf(open) === 'subscriptions/listen'
    ? limits.subscriptionSilenceMs
    : limits.silenceMs;

/** Streams of 2026-07-28 cannot be continued, whatever ids they have. */
function follow(position: StreamPosition, event: StreamEvent, open: OpenMessage | null): void {
  if (event.kind === 'retry') {
    position.ask(event.delayMs);
  } else if (event.id !== null && !open?.isModern) {
    position.passed(event.id);
  }
}

/** Answers to other requests are left out: the stream that they belong to is another. */
function messagesIn(
  event: StreamEvent,
  open: OpenMessage | null,
  host: string,
  report: (line: string) => void,
): ServerMessage[] {
  if (event.kind !== 'event' || !/^(message)?$/.test(event.type) || event.data === '') {
    return [];
  }
  const messages = parseServerText(event.data);
  const fitting = messages?.filter(({ answers }) => answers === null || answers === open?.id) ?? [];
  if (messages === null) {
    report(`${host} sent an event that is no JSON-RPC message; it is dropped`);
  } else if (fitting.length < messages.length) {
    report(`${host} sent an answer to a request that is not of this stream; it is dropped`);
  }
  return fitting;
}

/**
 * A stream whose connection broke is continued by the transport where the server can; anything
 * else would end it again.
 */
function failStream(
  { fail, report }: StreamDependencies,
  { position, open, signal }: ServerStream,
  error: OutboundError,
): OutboundError {
  if (signal.aborted) {
    return error;
  }
  const isBroken = error.code === 'unreachable' || error.code === 'timed_out';
  if (open !== null && !(isBroken && position.lastEventId !== null)) {
    fail(open, error);
  } else {
    report(error.message);
  }
  if (!isBroken) {
    // To continue before the event that cannot be read would bring it again.
    position.passed('');
  }
  return error;
}
