/**
 * A key that an object of a JSON text has twice. Readers disagree about which of the two counts, and
 * `JSON.parse` drops the first without a word. Pure.
 */

interface Open {
  /** Of an object; null for a list. */
  keys: Set<string> | null;
  /** The key or index of the value that is being read. */
  at: string | number;
}

/**
 * The path of the first key that comes twice, its name last; null when there is none. The
 * text must be valid JSON.
 */
export function repeatedKey(text: string): (string | number)[] | null {
  const open: Open[] = [];
  let expectsKey = false;
  for (let index = 0; index < text.length; index += 1) {
    const sign = text[index];
    const inner = open.at(-1);
    if (sign === '"') {
      const end = endOfString(text, index);
      if (expectsKey && inner !== undefined && inner.keys !== null) {
        const key = JSON.parse(text.slice(index, end + 1)) as string;
        inner.at = key;
        if (inner.keys.has(key)) {
          return open.map(({ at }) => at);
        }
        inner.keys.add(key);
        expectsKey = false;
      }
      index = end;
    } else if (sign === '{' || sign === '[') {
      open.push({ keys: sign === '{' ? new Set() : null, at: 0 });
      expectsKey = sign === '{';
    } else if (sign === '}' || sign === ']') {
      open.pop();
      expectsKey = false;
    } else if (sign === ',' && inner !== undefined) {
      expectsKey = inner.keys !== null;
      inner.at = typeof inner.at === 'number' ? inner.at + 1 : inner.at;
    }
  }
  return null;
}

/** The index of the quote that closes the string which starts at `start`; the last index when none does. */
export function endOfString(text: string, start: number): number {
  for (let index = start + 1; index < text.length; index += 1) {
    if (text[index] === '\\') {
      index += 1;
    } else if (text[index] === '"') {
      return index;
    }
  }
  return text.length - 1;
}
