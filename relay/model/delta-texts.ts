/** The texts that a streamed answer sends in pieces: the key is found in them although no piece holds the whole of it. */
import type { BlackOut } from '../../lib/black-out/black-out.ts';
import { memberOf } from './member-of.ts';

/** The member of each kind of delta that clients join. They replace what others hold, which is cleared as a whole. */
const textMembers: Readonly<Record<string, string>> = {
  text_delta: 'text',
  thinking_delta: 'thinking',
  input_json_delta: 'partial_json',
};
/** A content may begin with a text, to which its deltas are added. */
const typesOfStart: Readonly<Record<string, string>> = { text: 'text_delta', thinking: 'thinking_delta' };
const maxOpen = 64;

interface OpenText {
  index: unknown;
  type: string;
  blackOut: BlackOut;
  /** The first half of a character that the next delta completes. */
  half: string;
}

type Members = Record<string, unknown>;

export class DeltaTexts {
  readonly #open = new Map<string, OpenText>();
  readonly #createBlackOut: () => BlackOut;

  constructor(createBlackOut: () => BlackOut) {
    this.#createBlackOut = createBlackOut;
  }

  /**
   * The events that are sent for this one: a possible beginning of the key is held back, and comes with the next delta or before the end of its
   * content. Null when more contents are open than can be searched.
   */
  take(event: unknown): unknown[] | null {
    const { type, index } = event as Members;
    if (type === 'content_block_delta' || type === 'content_block_start') {
      const member = type === 'content_block_delta' ? 'delta' : 'content_block';
      const content = memberOf(event, member) as Members;
      const kind = String(memberOf(content, 'type'));
      const deltaType = type === 'content_block_delta' ? kind : typesOfStart[kind];
      const text = textMembers[deltaType ?? ''];
      const piece = text === undefined ? undefined : memberOf(content, text);
      if (deltaType === undefined || text === undefined || typeof piece !== 'string') {
        return [event];
      }
      const open = this.#opened(index, deltaType);
      return open && [{ ...(event as Members), [member]: { ...content, [text]: shown(open, piece) } }];
    }
    if (type === 'content_block_stop') {
      return [...this.#end(index), event];
    }
    return type === 'message_delta' || type === 'message_stop' ? [...this.#end(), event] : [event];
  }

  #opened(index: unknown, type: string): OpenText | null {
    const key = `${String(index)} ${type}`;
    const known = this.#open.get(key);
    if (known !== undefined || this.#open.size === maxOpen) {
      return known ?? null;
    }
    const open = { index, type, blackOut: this.#createBlackOut(), half: '' };
    this.#open.set(key, open);
    return open;
  }

  /** What was held back of the content, or of all. */
  #end(index?: unknown): unknown[] {
    const rests: unknown[] = [];
    for (const [key, open] of this.#open) {
      if (index === undefined || open.index === index) {
        this.#open.delete(key);
        const rest = open.blackOut.end().toString('utf8') + open.half;
        const delta = { type: open.type, [textMembers[open.type] ?? '']: rest };
        rests.push(...(rest === '' ? [] : [{ type: 'content_block_delta', index: open.index, delta }]));
      }
    }
    return rests;
  }
}

function shown(open: OpenText, piece: string): string {
  const text = open.half + piece;
  open.half = /[\ud800-\udbff]$/.exec(text)?.[0] ?? '';
  const whole = text.slice(0, text.length - open.half.length);
  return open.blackOut.push(Buffer.from(whole)).toString('utf8');
}
