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
  /** Where the answer has it: clients join by these numbers, and none begins before one that has begun. */
  at: readonly number[];
  /** Whether pieces of it may come when a later one of the kind has begun, as of tools called in parallel. */
  takesTurns?: boolean;
}

interface Text<Place> {
  at: readonly number[];
  /** Null while it is closed. */
  open: OpenText<Place> | null;
  /** What it ended with when it was closed; null: it never was. */
  ending: Buffer | null;
  /** What was shown of its beginning, where a key of an earlier text may go on; null: it takes no turns. */
  beginning: Buffer | null;
}

interface OpenText<Place> {
  place: Place;
  redactor: Redactor;
  /** The first half of a character that the next piece completes. */
  half: string;
  /** What the text before this one ends with: it is searched with this one, and is shown there. */
  shownBefore: string;
}

interface Kind<Place> {
  texts: Text<Place>[];
  /** Some text went on when a later one had begun. */
  isInTurns: boolean;
}

interface TextAtOnce {
  redactor: Redactor;
  isFound: boolean;
}

const mostOpen = 64;
/** Also of those that have ended. */
const mostTexts = 2000;
/** Names and ids of so many calls. */
const mostAtOnce = 4 * mostOpen;
/** Longer than a key in any form. */
const beginningBytes = 8 * 1024;
const nothing: Buffer = Buffer.alloc(0);

/** `Place`: what a dialect has to know to write a rest of the text. */
export class TextPieces<Place> {
  readonly #texts = new Map<string, Text<Place>>();
  readonly #kinds = new Map<string, Kind<Place>>();
  #openTexts = 0;
  readonly #atOnce = new Map<string, TextAtOnce>();
  readonly #host: string;
  readonly #createRedactor: () => Redactor;

  constructor({ host, createRedactor }: Pick<StreamOptions, 'host' | 'createRedactor'>) {
    this.#host = host;
    this.#createRedactor = createRedactor;
  }

  /**
   * What is shown of the next piece of a text: a possible beginning of the key is held back, for the
   * next piece or the end. Throws OutboundError when more texts are open than can be searched, when the
   * answer goes back to an earlier one, and when texts that take turns hold the key together.
   */
  show(name: TextName, place: Place, piece: string): string {
    const kind = this.#kinds.get(name.kind) ?? { texts: [], isInTurns: false };
    this.#kinds.set(name.kind, kind);
    const text = this.#known(name, kind);
    if (piece !== '' && text !== kind.texts.at(-1)) {
      if (name.takesTurns !== true) {
        throw this.#wentBack();
      }
      kind.isInTurns = true;
    }
    const open = text.open ?? this.#reopened(text, kind, place);
    const whole = withoutHalf(open, piece);
    const shown = withoutShown(open, open.redactor.push(Buffer.from(whole)).toString('utf8'));
    keepBeginning(text, shown);
    if (kind.isInTurns && this.#haveKey(kind.texts, text)) {
      throw new OutboundError('invalid_response', `${this.#host} answers with texts that are not shown`);
    }
    return shown;
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
    return [...this.#texts.values()].flatMap((text) => {
      const { open } = text;
      if (open === null || !isOver(open.place)) {
        return [];
      }
      const { place, redactor, half } = open;
      text.open = null;
      this.#openTexts -= 1;
      text.ending = redactor.held;
      const rest = withoutShown(open, redactor.end().toString('utf8')) + half;
      keepBeginning(text, rest);
      return rest === '' ? [] : [{ place, rest }];
    });
  }

  #known({ kind, of, at, takesTurns = false }: TextName, { texts }: Kind<Place>): Text<Place> {
    const name = `${kind} ${of}`;
    const known = this.#texts.get(name);
    if (known !== undefined) {
      return known;
    }
    if (this.#texts.size === mostTexts) {
      throw this.#tooMany();
    }
    const last = texts.at(-1);
    if (last !== undefined && isBefore(at, last.at)) {
      throw this.#wentBack();
    }
    const text: Text<Place> = { at, open: null, ending: null, beginning: takesTurns ? nothing : null };
    this.#texts.set(name, text);
    texts.push(text);
    return text;
  }

  /** With what it ended with, or else the one before it ends with. */
  #reopened(text: Text<Place>, { texts }: Kind<Place>, place: Place): OpenText<Place> {
    if (this.#openTexts === mostOpen) {
      throw this.#tooMany();
    }
    const redactor = this.#createRedactor();
    const before = text.ending ?? endOf(texts[texts.indexOf(text) - 1]);
    // It is held back as a whole, as it was there.
    redactor.push(before);
    text.open = { place, redactor, half: '', shownBefore: before.toString('utf8') };
    this.#openTexts += 1;
    return text.open;
  }

  /**
   * Whether texts up to the one that has just gone on hold the key with those after them: each was searched
   * when nothing of these was known.
   */
  #haveKey(texts: readonly Text<Place>[], last: Text<Place>): boolean {
    const upTo = texts.slice(0, texts.indexOf(last) + 1);
    return upTo.some((text, index) => {
      const ending = endOf(text);
      return ending.length > 0 && this.#goesOn(ending, texts.slice(index + 1));
    });
  }

  #goesOn(ending: Buffer, after: readonly Text<Place>[]): boolean {
    const redactor = this.#createRedactor();
    const said: Buffer[] = [];
    const shown: Buffer[] = [];
    const pieces = [ending, ...beginningsOf(after)];
    for (const piece of pieces) {
      said.push(piece);
      shown.push(redactor.push(piece));
      const whole = Buffer.concat(said);
      if (!Buffer.concat([...shown, redactor.held]).equals(whole)) {
        return true;
      }
      // What may still be the key begins after the ending.
      if (whole.length - redactor.held.length >= ending.length) {
        return false;
      }
    }
    return false;
  }

  #wentBack(): OutboundError {
    return new OutboundError('invalid_response', `${this.#host} goes back to an earlier part of its answer`);
  }

  #tooMany(): OutboundError {
    return new OutboundError('invalid_response', `${this.#host} sends too many contents at a time`);
  }
}

/** The whole characters that a text has with this piece. */
function withoutHalf(open: { half: string }, piece: string): string {
  const text = open.half + piece;
  open.half = /[\ud800-\udbff]$/.exec(text)?.[0] ?? '';
  return text.slice(0, text.length - open.half.length);
}

/** A possible beginning of the key. */
const endOf = <Place>(text: Text<Place> | undefined): Buffer =>
  text?.open?.redactor.held ?? text?.ending ?? nothing;

function keepBeginning<Place>(text: Text<Place>, shown: string): void {
  if (text.beginning !== null && text.beginning.length < beginningBytes) {
    const longer = Buffer.concat([text.beginning, Buffer.from(shown)]);
    text.beginning = longer.subarray(0, beginningBytes);
  }
}

/** What clients join to a text: of those after it, as far as they are known whole. */
function beginningsOf<Place>(texts: readonly Text<Place>[]): Buffer[] {
  const long = texts.findIndex(({ beginning }) => beginning?.length === beginningBytes);
  const known = long < 0 ? texts : texts.slice(0, long + 1);
  return known.map((text, index) =>
    Buffer.concat([text.beginning ?? nothing, index === long ? nothing : heldOf(text)]),
  );
}

/** What it holds back of its own. */
const heldOf = <Place>({ open }: Text<Place>): Buffer =>
  open?.redactor.held.subarray(Buffer.byteLength(open.shownBefore)) ?? nothing;

/** By the first number that is another. */
function isBefore(place: readonly number[], other: readonly number[]): boolean {
  const index = place.findIndex((number, at) => number !== other[at]);
  return index >= 0 && Number(place[index]) < Number(other[index] ?? -1);
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
