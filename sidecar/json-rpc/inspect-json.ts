/**
 * Looks at the text of one valid JSON value for what `JSON.parse` hides: keys that readers disagree on,
 * nesting depth, and how the members that the gate compares were written. Call it only with text that
 * `JSON.parse` accepts. One pass, in linear time whatever the text.
 */

import {
  backslash,
  closeBrace,
  closeBracket,
  comma,
  openBrace,
  openBracket,
  quote,
} from './json-characters.ts';

export interface JsonInspection {
  /** `bad_key`: some readers end a key at a NUL, and half a surrogate pair is read in several ways. */
  problem: 'duplicate_key' | 'bad_key' | 'too_deep' | null;
  /** The top-level member `id` exactly as written, when there is one. */
  rawId: string | null;
  /** The member `arguments` of the top-level member `params`, exactly as written, as text or as bytes. */
  rawArguments: string | Uint8Array | null;
}

/** Stops at the first problem. `maxDepth`: objects and arrays inside one another; a scalar has depth 0. */
export function inspectJson(text: string, maxDepth: number): JsonInspection {
  const found: JsonInspection = { problem: null, rawId: null, rawArguments: null };
  /** The keys of each open object, null for an array. */
  const open: (Set<string> | null)[] = [];
  let keys: Set<string> | null = null;
  let expectsKey = false;
  let topKey = '';
  let watched: { member: 'rawId' | 'rawArguments'; depth: number; from: number } | null = null;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === quote) {
      const end = endOfString(text, at);
      if (expectsKey && keys !== null) {
        const key = keyAt(text, at, end);
        found.problem = key === null ? 'bad_key' : keys.has(key) ? 'duplicate_key' : null;
        if (key === null || found.problem !== null) {
          return found;
        }
        keys.add(key);
        expectsKey = false;
        topKey = open.length === 1 ? key : topKey;
        if (open.length === 1 && key === 'id') {
          watched = { member: 'rawId', depth: 1, from: end + 1 };
        } else if (open.length === 2 && key === 'arguments' && topKey === 'params') {
          watched = { member: 'rawArguments', depth: 2, from: end + 1 };
        }
      }
      at = end;
    } else if (code === comma || code === closeBrace || code === closeBracket) {
      if (watched !== null && watched.depth === open.length) {
        found[watched.member] = valueIn(text.slice(watched.from, at));
        watched = null;
      }
      if (code !== comma) {
        open.pop();
        keys = open.at(-1) ?? null;
      }
      expectsKey = code === comma && keys !== null;
    } else if (code === openBrace || code === openBracket) {
      keys = code === openBrace ? new Set() : null;
      expectsKey = keys !== null;
      if (open.push(keys) > maxDepth) {
        return { ...found, problem: 'too_deep' };
      }
    }
  }
  return found;
}

/** The index of the closing quote of the string that starts at `start`, in valid JSON. */
export function endOfString(text: string, start: number): number {
  let end = text.indexOf('"', start + 1);
  while (isEscaped(text, end)) {
    end = text.indexOf('"', end + 1);
  }
  return end;
}

function isEscaped(text: string, at: number): boolean {
  let first = at;
  while (text.charCodeAt(first - 1) === backslash) {
    first -= 1;
  }
  return (at - first) % 2 === 1;
}

/** The key between the quotes at `start` and `end`; null when readers would not agree on it. */
export function keyAt(text: string, start: number, end: number): string | null {
  const written = text.slice(start + 1, end);
  if (!written.includes('\\')) {
    return written;
  }
  const key = JSON.parse(text.slice(start, end + 1)) as string;
  return isUnreadable.test(key) ? null : key;
}

/** Only an escape can write either. */
const isUnreadable = /\0|\p{Cs}/u;

/** What follows a key, without the colon and the space around the value. */
function valueIn(text: string): string {
  return text.trim().slice(1).trim();
}
