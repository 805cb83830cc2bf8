/** The keys of one JSON text. Most come again and again in it, so each is decoded once. */
import { keyAt } from './inspect-json.ts';

interface KnownKey {
  start: number;
  length: number;
  key: string;
}

const slots = 256;
/** A longer key is not kept. */
const maxKnownBytes = 64;

export class KeyReader {
  readonly #bytes: Buffer;
  readonly #known: (KnownKey | undefined)[] = new Array(slots);

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  /** The key between the quotes at `start` and `end`; null when readers would not agree on it. */
  read(start: number, end: number): string | null {
    const first = start + 1;
    const length = end - first;
    if (length > maxKnownBytes) {
      return this.#decode(start, end);
    }
    const slot = this.#slotOf(first, end);
    const known = this.#known[slot];
    if (known?.length === length && this.#isSame(known.start, first, length)) {
      return known.key;
    }
    const key = this.#decode(start, end);
    if (key !== null) {
      this.#known[slot] = { start: first, length, key };
    }
    return key;
  }

  #slotOf(first: number, end: number): number {
    let hash = 0;
    for (let at = first; at < end; at += 1) {
      hash = (hash * 31 + (this.#bytes[at] ?? 0)) | 0;
    }
    return hash & (slots - 1);
  }

  #isSame(one: number, other: number, length: number): boolean {
    const bytes = this.#bytes;
    let same = 0;
    while (same < length && bytes[one + same] === bytes[other + same]) {
      same += 1;
    }
    return same === length;
  }

  #decode(start: number, end: number): string | null {
    const quoted = this.#bytes.toString('utf8', start, end + 1);
    return keyAt(quoted, 0, quoted.length - 1);
  }
}
