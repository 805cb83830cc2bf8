/**
 * The texts that an answer has in pieces: the key is found in them although no piece holds the whole of it.
 */
import { jsonOrNull } from '../../contract/json-or-null.ts';
import { OutboundError } from '../../lib/outbound/errors.ts';
import { type Redactor, secretMark, shortestCutBytes } from '../../lib/redaction/redactor.ts';
import type { StreamOptions } from './dialect.ts';

/** Texts of one kind are joined by clients, one after the other. */
interface TextName {
  kind: string;
  /** Which of the kind. */
  of: string;
}

interface OpenText<Place> {
  place: Place;
  redactor: Redactor;
  /** The first half of a character that the next piece completes. */
  half: string;
  /** What the text before this one ends with: it is searched with this one, and is shown there. */
  shownBefore: string;
  /** What it ended with; null while it is open. */
  begun: Buffer | null;
}

interface TextAtOnce {
  redactor: Redactor;
  isFound: boolean;
}

const mostOpen = 64;
/** Names and ids of so many calls. */
const mostAtOnce = 4 * mostOpen;

/** `Place`: what a dialect has to know to write a rest of the text. */
export class TextPieces<Place> {
  readonly #open = new Map<string, OpenText<Place>>();
  readonly #atOnce = new Map<string, TextAtOnce>();
  /** By kind: the last one that began. */
  readonly #last = new Map<string, OpenText<Place>>();
  readonly #host: string;
  readonly #createRedactor: () => Redactor;

  constructor({ host, createRedactor }: Pick<StreamOptions, 'host' | 'createRedactor'>) {
    this.#host = host;
    this.#createRedactor = createRedactor;
  }

  /**
   * What is shown of the next piece of a text: a possible beginning of the key is held back, for the
   * next piece or the end. Throws OutboundError when more texts are open than can be searched.
   */
  show(name: TextName, place: Place, piece: string): string {
    const open = this.#opened(name, place);
    const text = open.half + piece;
    open.half = /[\ud800-\udbff]$/.exec(text)?.[0] ?? '';
    const whole = text.slice(0, text.length - open.half.length);
    return withoutShown(open, open.redactor.push(Buffer.from(whole)).toString('utf8'));
  }

  /**
   * What is shown of the next piece of a text that comes whole, such as the name of a tool: nothing is held
   * back, since clients take the first piece for all of it. Of pieces that make the key together the first
   * bytes are shown, then a mark, then nothing. Throws OutboundError beyond a number of such texts.
   */
  showAtOnce(name: string, piece: string): string {
    const known = this.#atOnce.get(name);
    if (known === undefined && this.#atOnce.size === mostAtOnce) {
      throw this.#tooMany();
    }
    const text = known ?? { redactor: this.#createRedactor(), isFound: false };
    this.#atOnce.set(name, text);
    if (text.isFound) {
      return '';
    }
    const { redactor } = text;
    const expected = Buffer.concat([redactor.held, Buffer.from(piece)]);
    const found = Buffer.concat([redactor.push(Buffer.from(piece)), redactor.held]);
    text.isFound = !found.equals(expected) || redactor.held.length >= shortestCutBytes;
    return text.isFound ? secretMark : piece;
  }

  /** Closes the texts at those places, and returns what was held back of each that has such a rest. */
  end(isOver: (place: Place) => boolean = () => true): { place: Place; rest: string }[] {
    const over = [...this.#open].filter(([, { place }]) => isOver(place));
    return over.flatMap(([name, open]) => {
      const { place, redactor, half } = open;
      this.#open.delete(name);
      open.begun = redactor.held;
      const rest = withoutShown(open, redactor.end().toString('utf8')) + half;
      return rest === '' ? [] : [{ place, rest }];
    });
  }

  #opened({ kind, of }: TextName, place: Place): OpenText<Place> {
    const name = `${kind} ${of}`;
    const known = this.#open.get(name);
    if (known !== undefined) {
      return known;
    }
    if (this.#open.size === mostOpen) {
      throw this.#tooMany();
    }
    const redactor = this.#createRedactor();
    const last = this.#last.get(kind);
    const before = last?.begun ?? last?.redactor.held ?? Buffer.alloc(0);
    // It is held back as a whole, as it was there.
    redactor.push(before);
    const open = { place, redactor, half: '', shownBefore: before.toString('utf8'), begun: null };
    this.#open.set(name, open);
    this.#last.set(kind, open);
    return open;
  }

  #tooMany(): OutboundError {
    return new OutboundError('invalid_response', `${this.#host} sends too many contents at a time`);
  }
}

/** A mark in it stands for what was shown before, too. */
function withoutShown(open: { shownBefore: string }, text: string): string {
  let length = 0;
  while (length < text.length && text[length] === open.shownBefore[length]) {
    length += 1;
  }
  open.shownBefore = length < text.length ? '' : open.shownBefore.slice(length);
  return text.slice(length);
}

/**
 * Whether the texts that an answer, or one event of it, has at the same place of several lists hold the key
 * together. Each for itself is searched as it is written.
 */
export function haveKeyInPieces(value: unknown, redact: (text: string) => string): boolean {
  const texts = new Map<string, string[]>();
  collectTexts(value, '', texts);
  return [...texts.values()].some((pieces) => {
    if (pieces.length === 1) {
      return false;
    }
    const shown = jsonOrNull(redact(JSON.stringify(pieces)));
    // After its end nothing is taken for a key that was cut.
    const joined = Array.isArray(shown) ? `${shown.join('')} ` : null;
    return joined === null || redact(joined) !== joined;
  });
}

/** By the names of the members that lead to them; places in lists do not count. */
function collectTexts(value: unknown, path: string, texts: Map<string, string[]>): void {
  if (typeof value === 'string') {
    const known = texts.get(path);
    if (known === undefined) {
      texts.set(path, [value]);
    } else {
      known.push(value);
    }
  } else if (Array.isArray(value)) {
    for (const each of value) {
      collectTexts(each, path, texts);
    }
  } else if (typeof value === 'object' && value !== null) {
    for (const [name, each] of Object.entries(value)) {
      collectTexts(each, `${path}.${name}`, texts);
    }
  }
}
