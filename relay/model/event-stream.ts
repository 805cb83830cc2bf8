/** An answer that is streamed: each event is read, cleared of the key, counted and sent again, with backpressure. */
import type { ServerResponse } from 'node:http';
import { jsonOrNull } from '../../contract/json-or-null.ts';
import type { BlackOut } from '../../lib/black-out/black-out.ts';
import { explainConnectionError } from '../../lib/outbound/connection-errors.ts';
import { OutboundError } from '../../lib/outbound/errors.ts';
import type { HttpAnswer } from '../../lib/outbound/get.ts';
import { withinSilence } from '../../lib/outbound/within-silence.ts';
import { readEvents } from '../remote/read-events.ts';
import { DeltaTexts } from './delta-texts.ts';
import type { ModelLimits } from './limits.ts';
import { memberOf } from './member-of.ts';
import { ModelError } from './model-error.ts';
import { messageIn } from './refused-status.ts';
import type { TokenCount } from './token-count.ts';
import { writeInTime } from './write-in-time.ts';

export interface StreamedAnswer {
  answer: HttpAnswer;
  response: ServerResponse;
  tokens: TokenCount;
  limits: ModelLimits;
  blackOut(text: string): string;
  createBlackOut(): BlackOut;
  signal: AbortSignal;
}

const eventName = /^[a-z_]{1,60}$/;

/** Returns once the last event was passed on. Throws ModelError and OutboundError for an answer that is not whole, or not one. */
export async function passEventsOn(streamed: StreamedAnswer): Promise<void> {
  const { answer, response, limits, signal } = streamed;
  const { url, body } = answer;
  const late = new OutboundError(
    'timed_out',
    `${url.host} was silent for ${limits.silenceMs / 1000} seconds`,
  );
  const texts = new DeltaTexts(streamed.createBlackOut);
  let left = limits.streamBytes;
  try {
    for await (const event of readEvents(
      withinSilence(body, limits.silenceMs, late),
      limits.eventBytes,
      url.host,
    )) {
      if (event.kind !== 'event') {
        continue;
      }
      left -= event.data.length;
      if (left < 0) {
        throw new OutboundError('too_large', `${url.host} sent more than ${limits.streamBytes} bytes`);
      }
      const value = jsonOrNull(event.data);
      const type = readEvent(event.data, value, streamed);
      const shown = texts.take(value);
      if (shown === null) {
        throw new OutboundError('invalid_response', `${url.host} sends too many contents at a time`);
      }
      const text = shown.map((each) => written(String(memberOf(each, 'type')), each, streamed)).join('');
      await writeInTime(response, text, limits.stalledMs, signal);
      if (type === 'message_stop') {
        return;
      }
    }
  } catch (error) {
    throw error instanceof ModelError ? error : explainConnectionError(url, error);
  } finally {
    body.destroy();
  }
  throw new OutboundError('unreachable', `${url.host} ended its answer before its end`);
}

/** The type of an event, whose usage is counted. */
function readEvent(
  data: string,
  value: unknown,
  { answer: { url }, tokens, blackOut }: StreamedAnswer,
): string {
  const type = memberOf(value, 'type');
  if (typeof type !== 'string' || !eventName.test(type)) {
    throw new OutboundError('invalid_response', `${url.host} sent an event that is none of a model`);
  }
  if (type === 'error') {
    throw saidError(data, value, blackOut, url);
  }
  tokens.says(memberOf(memberOf(value, 'message'), 'usage'));
  tokens.says(memberOf(value, 'usage'));
  if (type === 'content_block_delta' || type === 'content_block_start') {
    tokens.shows(Buffer.byteLength(data));
  }
  return type;
}

function saidError(
  data: string,
  value: unknown,
  blackOut: (text: string) => string,
  { host }: URL,
): ModelError {
  const said = blackOut(messageIn(data) ?? `${host} failed`);
  const isOverloaded = memberOf(memberOf(value, 'error'), 'type') === 'overloaded_error';
  return new ModelError(isOverloaded ? 'overloaded_error' : 'api_error', said.slice(0, 2000));
}

/** Serialised again, so that what is sent is what was read. */
const written = (type: string, value: unknown, { blackOut }: StreamedAnswer): string =>
  `event: ${type}\ndata: ${blackOut(JSON.stringify(value))}\n\n`;
