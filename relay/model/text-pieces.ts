/**
 * The texts that a streamed answer sends in pieces: the key is found in them although no piece holds the
 * whole of it.
 */
import { OutboundError } from '../../lib/outbound/errors.ts';
import type { Redactor } from '../../lib/redaction/redactor.ts';
import type { StreamOptions } from './dialect.ts';

interface OpenText<Place> {
  place: Place;
  redactor: Redactor;
  /** The first half of a character that the next piece completes. */
  half: string;
}

const mostOpen = 64;

/** `Place`: what a dialect has to know to write a rest of the text. */
export class TextPieces<Place> {
  readonly #open = new Map<string, OpenText<Place>>();
  readonly #host: string;
  readonly #createRedactor: () => Redactor;

  constructor({ host, createRedactor }: Pick<StreamOptions, 'host' | 'createRedactor'>) {
    this.#host = host;
    this.#createRedactor = createRedactor;
  }

  /**
   * What is shown of the next piece of the text `name`: a possible beginning of the key is held back, for the
   * next piece or the end. Throws OutboundError when more texts are open than can be searched.
   */
  show(name: string, place: Place, piece: string): string {
    const open = this.#opened(name, place);
    const text = open.half + piece;
    open.half = /[\ud800-\udbff]$/.exec(text)?.[0] ?? '';
    const whole = text.slice(0, text.length - open.half.length);
    return open.redactor.push(Buffer.from(whole)).toString('utf8');
  }

  /** Closes the texts at those places, and returns what was held back of each that has such a rest. */
  end(isOver: (place: Place) => boolean = () => true): { place: Place; rest: string }[] {
    const over = [...this.#open].filter(([, { place }]) => isOver(place));
    return over.flatMap(([name, { place, redactor, half }]) => {
      this.#open.delete(name);
      const rest = redactor.end().toString('utf8') + half;
      return rest === '' ? [] : [{ place, rest }];
    });
  }

  #opened(name: string, place: Place): OpenText<Place> {
    const known = this.#open.get(name);
    if (known !== undefined) {
      return known;
    }
    if (this.#open.size === mostOpen) {
      throw new OutboundError('invalid_response', `${this.#host} sends too many contents at a time`);
    }
    const open = { place, redactor: this.#createRedactor(), half: '' };
    this.#open.set(name, open);
    return open;
  }
}
