/**
 * An answer that is streamed: each event is read, cleared of the key, counted and sent again, with
 * backpressure.
 */
import type { ServerResponse } from 'node:http';
import type { Writable } from 'node:stream';
import { explainConnectionError } from '../../lib/outbound/connection-errors.ts';
import { OutboundError } from '../../lib/outbound/errors.ts';
import type { HttpAnswer } from '../../lib/outbound/send.ts';
import { withinSilence } from '../../lib/outbound/within-silence.ts';
import type { Redactor } from '../../lib/redaction/redactor.ts';
import { readEvents } from '../remote/read-events.ts';
import type { Dialect } from './dialect.ts';
import type { ModelLimits } from './limits.ts';
import { keyInPieces, ModelError } from './model-error.ts';
import { haveKeyInPieces } from './text-pieces.ts';
import type { TokenCount } from './token-count.ts';

interface StreamedAnswer {
  answer: HttpAnswer;
  dialect: Dialect;
  wantsUsage: boolean;
  response: ServerResponse;
  tokens: TokenCount;
  limits: ModelLimits;
  redact(text: string): string;
  redactError(text: string): string;
  createRedactor(): Redactor;
  signal: AbortSignal;
}

/**
 * Returns once the last event was passed on. Throws ModelError and OutboundError for an answer that is not
 * whole, or not one.
 */
export async function passEventsOn(streamed: StreamedAnswer): Promise<void> {
  const {
    answer,
    dialect,
    response,
    tokens,
    limits,
    redact,
    redactError,
    createRedactor,
    wantsUsage,
    signal,
  } = streamed;
  const { url, body } = answer;
  const late = new OutboundError(
    'timed_out',
    `${url.host} was silent for ${limits.silenceMs / 1000} seconds`,
  );
  const stream = dialect.openStream({ host: url.host, redact: redactError, createRedactor, wantsUsage });
  try {
    const bytes = bounded(withinSilence(body, limits.silenceMs, late), limits.streamBytes, url.host);
    for await (const event of readEvents(bytes, limits.eventBytes, url.host)) {
      if (event.kind !== 'event') {
        continue;
      }
      const { shown, usage, shownBytes, isLast } = stream.take(event.data);
      for (const each of usage) {
        tokens.says(each);
      }
      tokens.shows(shownBytes);
      if (shown.some((each) => haveKeyInPieces(each, redact))) {
        throw keyInPieces(url);
      }
      const text = shown.map((each) => dialect.write(each, redact)).join('');
      await writeInTime(response, text, limits.stalledMs, signal);
      if (isLast) {
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

/** Also of what is no event, which is not passed on. */
async function* bounded(body: AsyncIterable<Buffer>, maxBytes: number, host: string): AsyncGenerator<Buffer> {
  let left = maxBytes;
  for await (const chunk of body) {
    left -= chunk.length;
    if (left < 0) {
      throw new OutboundError('too_large', `${host} sent more than ${maxBytes} bytes`);
    }
    yield chunk;
  }
}

/** Returns when there is room for more. Throws when there is none for `limitMs`, or `signal` is aborted. */
export function writeInTime(to: Writable, text: string, limitMs: number, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted();
  if (to.write(text)) {
    return Promise.resolve();
  }
  return new Promise((resolve, reject) => {
    const settle = (error: Error | null) => {
      clearTimeout(timer);
      to.off('drain', drained).off('close', closed);
      signal.removeEventListener('abort', closed);
      if (error === null) {
        resolve();
      } else {
        reject(error);
      }
    };
    const drained = () => settle(null);
    const closed = () => settle(new Error('the agent has left'));
    const timer = setTimeout(closed, limitMs);
    to.on('drain', drained).on('close', closed);
    signal.addEventListener('abort', closed);
  });
}
