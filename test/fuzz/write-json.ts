/**
 * JSON text with what `JSON.stringify` never writes: duplicate keys, odd whitespace, needless
 * escapes, arbitrary number forms.
 */
import type { SeededRandom } from '../support/seeded-random.ts';

/** Text that is written verbatim. */
export class Raw {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

/** An object that may have duplicate keys. */
export class Members {
  readonly entries: [key: string, value: unknown][];
  constructor(entries: [key: string, value: unknown][]) {
    this.entries = entries;
  }
}

export function writeJson(value: unknown, random: SeededRandom, hasOddSpace: boolean): string {
  const spaces = [' ', '  ', '\t', '\r', '\n', '\u00a0', '\f'];
  const space = () => (hasOddSpace && random.chance(8) ? random.pick(spaces) : '');
  const write = (inner: unknown): string => {
    if (inner instanceof Raw) {
      return inner.text;
    }
    if (Array.isArray(inner)) {
      return `[${inner.map((item) => `${space()}${write(item)}`).join(',')}${space()}]`;
    }
    if (typeof inner === 'object' && inner !== null) {
      const entries = inner instanceof Members ? inner.entries : Object.entries(inner);
      const members = entries.map(
        ([key, item]) => `${space()}${writeString(key, random)}${space()}:${space()}${write(item)}`,
      );
      return `{${members.join(`${space()},`)}${space()}}`;
    }
    return typeof inner === 'string' ? writeString(inner, random) : JSON.stringify(inner);
  };
  return write(value);
}

function writeString(text: string, random: SeededRandom): string {
  if (random.chance(92)) {
    return JSON.stringify(text);
  }
  const escaped = [...text].map((character) =>
    random.chance(40) && character.length === 1
      ? `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
      : JSON.stringify(character).slice(1, -1),
  );
  return `"${escaped.join('')}"`;
}
