/** What the bridge reads in what a server sends, whose text is passed on as it is. Pure. */
import { isObject } from './agent-message.ts';
import type { RequestId } from './remote-error.ts';

export interface ServerMessage {
  /** On one line. */
  text: string;
  value: Readonly<Record<string, unknown>>;
  /** Of the request that it answers; null when it is no response, or names none. */
  answers: RequestId | null;
}

/** The messages in a body or event, several for a batch of 2025-03-26; null when it holds something else. */
export function parseServerText(text: string): ServerMessage[] | null {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return null;
  }
  const values: unknown[] = Array.isArray(value) ? value : [value];
  const texts = Array.isArray(value) ? splitArray(text) : [text];
  const messages = values.flatMap((each, at) =>
    isObject(each) ? [{ text: onOneLine(texts[at] ?? ''), value: each, answers: answeredBy(each) }] : [],
  );
  return messages.length > 0 && messages.length === values.length ? messages : null;
}

/** In JSON these are space between tokens and nothing else; a line has none. */
const onOneLine = (text: string): string => text.trim().replaceAll(/[\t\r\n]+/g, ' ');

function answeredBy(value: Record<string, unknown>): RequestId | null {
  const { id } = value;
  const isResponse = value['method'] === undefined && ('result' in value || 'error' in value);
  return isResponse && (typeof id === 'string' || typeof id === 'number') ? id : null;
}

/** The message of an error that names no request; null for anything else. */
export function generalError({ value, answers }: ServerMessage): string | null {
  const { error } = value;
  const isError = answers === null && isObject(error) && typeof error['message'] === 'string';
  return isError ? String(error['message']) : null;
}

/**
 * The elements of a JSON array as they are written: parsing and serializing would change numbers. Call it
 * only with text that `JSON.parse` reads as an array.
 */
export function splitArray(text: string): string[] {
  const elements: string[] = [];
  let depth = 0;
  let from = text.indexOf('[') + 1;
  for (let at = 0; at < text.length; at += 1) {
    const sign = text[at];
    if (sign === '"') {
      at = endOfString(text, at);
    } else if (sign === '[' || sign === '{') {
      depth += 1;
    } else if (sign === ']' || sign === '}') {
      depth -= 1;
    }
    if ((sign === ',' && depth === 1) || (sign === ']' && depth === 0)) {
      elements.push(text.slice(from, at).trim());
      from = at + 1;
    }
  }
  return elements.length === 1 && elements[0] === '' ? [] : elements;
}

/** The index of the quote that closes the string that begins at `start`. */
function endOfString(text: string, start: number): number {
  let at = start + 1;
  while (text[at] !== '"') {
    at += text[at] === '\\' ? 2 : 1;
  }
  return at;
}
