/**
 * Looks at the text of one valid JSON value for what `JSON.parse` hides: keys that occur twice (parsers differ in which
 * one wins), nesting depth, and how the top-level `id` was written. Call it only with text that `JSON.parse` accepts.
 */

export interface JsonInspection {
  duplicateKey: boolean;
  /** Deepest nesting of objects and arrays; a scalar has depth 0. */
  depth: number;
  /** The top-level member `id` exactly as written, when there is one. */
  rawId: string | null;
}

interface Container {
  /** Keys seen so far; null for an array. */
  keys: Set<string> | null;
  expectsKey: boolean;
}

export function inspectJson(text: string): JsonInspection {
  const open: Container[] = [];
  const found: JsonInspection = { duplicateKey: false, depth: 0, rawId: null };
  let at = 0;
  while (at < text.length) {
    const character = text[at];
    const container = open.at(-1);
    if (character === '"') {
      const end = endOfString(text, at);
      if (container?.keys && container.expectsKey) {
        noteKey(text, at, end, container.keys, open.length === 1, found);
        container.expectsKey = false;
      }
      at = end;
      continue;
    }
    if (character === '{' || character === '[') {
      open.push({ keys: character === '{' ? new Set() : null, expectsKey: character === '{' });
      found.depth = Math.max(found.depth, open.length);
    } else if (character === '}' || character === ']') {
      open.pop();
    } else if (character === ',' && container) {
      container.expectsKey = container.keys !== null;
    }
    at += 1;
  }
  return found;
}

/** The index after the closing quote of the string that starts at `start`. */
function endOfString(text: string, start: number): number {
  let at = start + 1;
  while (text[at] !== '"') {
    at += text[at] === '\\' ? 2 : 1;
  }
  return at + 1;
}

function noteKey(
  text: string,
  start: number,
  end: number,
  keys: Set<string>,
  isTopLevel: boolean,
  found: JsonInspection,
): void {
  const key = JSON.parse(text.slice(start, end)) as string;
  found.duplicateKey ||= keys.has(key);
  keys.add(key);
  if (isTopLevel && key === 'id') {
    found.rawId = /^\s*:\s*("(?:[^"\\]|\\.)*"|[^\s,}]+)/.exec(text.slice(end, end + 2048))?.[1] ?? null;
  }
}
