/**
 * The arguments of a call in lines, cut from their JSON text itself: a value that was parsed and printed
 * again would show other numbers than those that were sent. Pure.
 */

export interface CallToken {
  kind: 'key' | 'string' | 'number' | 'word' | 'mark';
  /** As it is in the text: a string with its quotes and escapes, a number with its own digits. */
  text: string;
}

export interface CallLine {
  /** How many objects and arrays it is inside of. */
  depth: number;
  tokens: CallToken[];
}

/**
 * One value or key a line, as JSON is usually laid out; the tokens in order are the text. Null for a text
 * that is not JSON without white space between its tokens, which is what the platform records.
 */
export function callLines(argumentsText: string): CallLine[] | null {
  const texts = isJson(argumentsText) ? tokenTexts(argumentsText) : null;
  return texts === null ? null : layOut(texts);
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** Of a text that is JSON; null when something is between its tokens. */
function tokenTexts(json: string): string[] | null {
  const token = /"(?:[^"\\]|\\.)*"|-?[0-9][0-9.eE+-]*|true|false|null|[{}[\],:]/gsuy;
  const texts = [...json.matchAll(token)].map(([text]) => text);
  return texts.join('') === json ? texts : null;
}

const opens = (text: string | undefined) => text === '{' || text === '[';
const closes = (text: string | undefined) => text === '}' || text === ']';

function layOut(texts: readonly string[]): CallLine[] {
  let line: CallLine = { depth: 0, tokens: [] };
  const lines = [line];
  const beginAt = (depth: number) => {
    line = { depth, tokens: [] };
    lines.push(line);
  };
  for (const [index, text] of texts.entries()) {
    const next = texts[index + 1];
    if (closes(text) && !opens(texts[index - 1])) {
      beginAt(line.depth - 1);
    }
    line.tokens.push({ kind: kindOf(text, next), text });
    // An object or array without content stays in its line.
    if (opens(text) && !closes(next)) {
      beginAt(line.depth + 1);
    } else if (text === ',') {
      beginAt(line.depth);
    }
  }
  return lines;
}

function kindOf(text: string, next: string | undefined): CallToken['kind'] {
  if (text.startsWith('"')) {
    return next === ':' ? 'key' : 'string';
  }
  return /^[-0-9]/.test(text) ? 'number' : /^[a-z]/.test(text) ? 'word' : 'mark';
}
