/** A streamed answer of Responses: named events with a number, until the one that has the whole answer. */
import * as z from 'zod';
import { jsonOrNull } from '../../../contract/json-or-null.ts';
import { OutboundError } from '../../../lib/outbound/errors.ts';
import type { AnswerStream, StreamOptions } from '../dialect.ts';
import { memberOf } from '../member-of.ts';
import { ModelError, type ModelErrorType } from '../model-error.ts';
import { readUsage } from '../openai/form.ts';
import { TextPieces } from '../text-pieces.ts';

const usageMembers = {
  input: 'input_tokens',
  inputDetails: 'input_tokens_details',
  output: 'output_tokens',
};
export const responsesUsage = (response: unknown): unknown =>
  readUsage(memberOf(response, 'usage'), usageMembers);

const eventName = /^response\.[a-z_.]{1,80}$/;
/** What clients read of a piece of a text; a filling that hides its length, and tokens, are left out. */
const text = z.string().nullish();
const place = z.int().nullish();
const deltaEvent = z.object({
  ...{ type: z.string(), item_id: text, call_id: text },
  ...{ output_index: place, content_index: place, summary_index: place },
  delta: z.string(),
});
/** Sent by some endpoints to keep the connection open. */
const ignored: ReadonlySet<unknown> = new Set(['keepalive', 'ping']);
const lastEvents: ReadonlySet<string> = new Set(['response.completed', 'response.incomplete']);
const errorTypes: Readonly<Record<string, ModelErrorType>> = {
  rate_limit_exceeded: 'rate_limit_error',
  server_is_overloaded: 'overloaded_error',
  slow_down: 'overloaded_error',
  insufficient_quota: 'billing_error',
  invalid_prompt: 'invalid_request_error',
  context_length_exceeded: 'invalid_request_error',
};

/** Texts of parallel calls, which may take turns: clients join them by their place. */
const calledWith: ReadonlySet<string> = new Set([
  'response.function_call_arguments.delta',
  'response.custom_tool_call_input.delta',
]);

/** Which text a delta is of: the end of it has the same. */
interface Place {
  /** The event's members but its delta. */
  event: object;
  output: unknown;
}

export function openResponsesStream(options: StreamOptions): AnswerStream {
  const { host, redact } = options;
  const texts = new TextPieces<Place>(options);
  let sent = 0;
  /** What was held back is sent as an event more, so that each gets the next number. */
  const numbered = (events: readonly object[]) =>
    events.map((event) => {
      const number = sent;
      sent += 1;
      return { ...event, sequence_number: number };
    });
  const rests = (isOver?: (place: Place) => boolean): object[] =>
    texts.end(isOver).map(({ place: { event }, rest }) => ({ ...event, delta: rest }));
  return {
    take(data) {
      const value = jsonOrNull(data);
      const type = memberOf(value, 'type');
      if (ignored.has(type)) {
        return { shown: [], usage: [], shownBytes: 0, isLast: false };
      }
      if (type === 'error' || type === 'response.failed') {
        throw saidError(value, redact, host);
      }
      if (typeof type !== 'string' || !eventName.test(type)) {
        throw new OutboundError('invalid_response', `${host} sent an event that is none of a model`);
      }
      const event = Object(value);
      const isLast = lastEvents.has(type);
      const shown = type.endsWith('.delta') ? shownDelta(texts, value, host) : [...held(type), event];
      const delta = memberOf(value, 'delta');
      return {
        shown: numbered(shown),
        usage: [responsesUsage(memberOf(value, 'response'))],
        shownBytes: typeof delta === 'string' ? Buffer.byteLength(delta) : 0,
        isLast,
      };

      /** What comes before an event that ends texts: those of its item, or all. */
      function held(name: string): object[] {
        const output = memberOf(event, 'output_index');
        const endsItem = name.endsWith('.done');
        return endsItem || isLast ? rests(isLast ? undefined : (place) => place.output === output) : [];
      }
    },
  };
}

/** A delta that is no text is none that clients read. */
function shownDelta(texts: TextPieces<Place>, value: unknown, host: string): object[] {
  if (typeof memberOf(value, 'delta') !== 'string') {
    return [];
  }
  const given = deltaEvent.safeParse(value);
  if (!given.success) {
    throw new OutboundError('invalid_response', `${host} sent a piece of a text that has no place`);
  }
  const { delta, ...event } = given.data;
  const { type: kind, item_id, output_index: output, content_index, summary_index } = event;
  const of = JSON.stringify([output, item_id, content_index, summary_index]);
  const at = [output ?? 0, content_index ?? summary_index ?? 0];
  const name = { kind, of, at, takesTurns: calledWith.has(kind) };
  return [{ ...event, delta: texts.show(name, { event, output }, delta) }];
}

function saidError(value: unknown, redact: (text: string) => string, host: string): ModelError {
  const error = memberOf(memberOf(value, 'response'), 'error') ?? memberOf(value, 'error') ?? value;
  const message = memberOf(error, 'message');
  const code = memberOf(error, 'code');
  const said = redact(typeof message === 'string' ? message : `${host} failed`);
  return new ModelError(errorTypes[String(code)] ?? 'api_error', said.slice(0, 2000));
}
