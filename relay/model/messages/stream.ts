/** A streamed answer of the Messages API, event by event. */
import { jsonOrNull } from '../../../contract/json-or-null.ts';
import { OutboundError } from '../../../lib/outbound/errors.ts';
import type { AnswerStream, StreamOptions } from '../dialect.ts';
import { memberOf } from '../member-of.ts';
import { ModelError } from '../model-error.ts';
import { messageIn } from '../refused-status.ts';
import { TextPieces } from '../text-pieces.ts';

const eventName = /^[a-z_]{1,60}$/;
/**
 * The member of each kind of delta that clients join. They replace what others hold,
 * which is cleared as a whole.
 */
const textMembers: Readonly<Record<string, string>> = {
  text_delta: 'text',
  thinking_delta: 'thinking',
  input_json_delta: 'partial_json',
};
/** Comes whole, but some clients join it. */
const signature = 'signature';
/** A content may begin with a text, to which its deltas are added. */
const typesOfStart: Readonly<Record<string, string>> = { text: 'text_delta', thinking: 'thinking_delta' };

interface Place {
  index: number;
  type: string;
}
type Texts = TextPieces<Place>;

export function openMessagesStream(options: StreamOptions): AnswerStream {
  const { host, redact } = options;
  const texts: Texts = new TextPieces(options);
  return {
    take(data) {
      const value = jsonOrNull(data);
      const type = memberOf(value, 'type');
      if (typeof type !== 'string' || !eventName.test(type)) {
        throw new OutboundError('invalid_response', `${host} sent an event that is none of a model`);
      }
      if (type === 'error') {
        throw saidError(data, value, redact, host);
      }
      const isContent = type === 'content_block_delta' || type === 'content_block_start';
      return {
        shown: shownFor(texts, type, value, host),
        usage: [memberOf(memberOf(value, 'message'), 'usage'), memberOf(value, 'usage')],
        shownBytes: isContent ? Buffer.byteLength(data) : 0,
        isLast: type === 'message_stop',
      };
    },
  };
}

function saidError(data: string, value: unknown, redact: (text: string) => string, host: string): ModelError {
  const said = redact(messageIn(data) ?? `${host} failed`);
  const isOverloaded = memberOf(memberOf(value, 'error'), 'type') === 'overloaded_error';
  return new ModelError(isOverloaded ? 'overloaded_error' : 'api_error', said.slice(0, 2000));
}

/** The events that are sent for this one. */
function shownFor(texts: Texts, type: string, event: unknown, host: string): unknown[] {
  if (type === 'content_block_delta' || type === 'content_block_start') {
    const index = memberOf(event, 'index');
    if (typeof index !== 'number') {
      throw new OutboundError('invalid_response', `${host} sent an event that is none of a model`);
    }
    return [shownPiece(texts, { type, index, event })];
  }
  if (type === 'content_block_stop') {
    const stopped = memberOf(event, 'index');
    return [...rests(texts, ({ index }) => index === stopped), event];
  }
  return type === 'message_delta' || type === 'message_stop' ? [...rests(texts), event] : [event];
}

function shownPiece(
  texts: Texts,
  { type, index, event }: { type: string; index: number; event: unknown },
): unknown {
  const member = type === 'content_block_delta' ? 'delta' : 'content_block';
  const content = memberOf(event, member);
  const kind = String(memberOf(content, 'type'));
  const deltaType = type === 'content_block_delta' ? kind : typesOfStart[kind];
  const told = memberOf(content, signature);
  if (kind === 'signature_delta' && typeof told === 'string') {
    const shown = texts.showAtOnce(`${index} ${signature}`, told);
    return { ...Object(event), [member]: { ...Object(content), [signature]: shown } };
  }
  const text = textMembers[deltaType ?? ''];
  const piece = text === undefined ? undefined : memberOf(content, text);
  if (deltaType === undefined || text === undefined || typeof piece !== 'string') {
    return event;
  }
  const shown = texts.show(
    { kind: deltaType, of: String(index), at: [index] },
    { index, type: deltaType },
    piece,
  );
  return { ...Object(event), [member]: { ...Object(content), [text]: shown } };
}

const rests = (texts: Texts, isOver?: (place: Place) => boolean) =>
  texts.end(isOver).map(({ place: { index, type }, rest }) => ({
    type: 'content_block_delta',
    index,
    delta: { type, [textMembers[type] ?? '']: rest },
  }));
