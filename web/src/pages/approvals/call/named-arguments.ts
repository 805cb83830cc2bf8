/**
 * The arguments of a call by their names, made of the tokens of its lines: numbers keep their digits, and a
 * text keeps each of its characters. Pure.
 */
import { type CallCharacter, charactersOf } from './call-characters.ts';
import type { CallLine, CallToken } from './call-lines.ts';

/**
 * `word`: a number, `true`, `false`, `null`, or a text that could be taken for something else and keeps its
 * quotes. `text`: without its quotes, cut at its line feeds. `json`: an object or a list.
 */
export type ArgumentValue =
  | { kind: 'word'; token: CallToken }
  | { kind: 'text'; lines: CallCharacter[][] }
  | { kind: 'json'; lines: CallLine[] };

export interface NamedArgument {
  /** As it is in the text, with its quotes. */
  key: string;
  value: ArgumentValue;
}

/** Null for a value that is no object, which has no names. */
export function namedArguments(lines: readonly CallLine[]): NamedArgument[] | null {
  if (lines[0]?.tokens[0]?.text !== '{') {
    return null;
  }
  const named: CallLine[][] = [];
  for (const line of lines.slice(1, -1)) {
    if (line.depth === 1 && line.tokens[0]?.kind === 'key') {
      named.push([line]);
    } else {
      named.at(-1)?.push(line);
    }
  }
  return named.map(argumentOf);
}

function argumentOf(lines: CallLine[]): NamedArgument {
  const [first, ...rest] = lines.map((line) => ({ ...line, tokens: [...line.tokens] }));
  const [key, , ...begun] = first?.tokens ?? [];
  const value = [{ depth: 1, tokens: begun }, ...rest];
  const last = value.at(-1)?.tokens;
  if (last?.at(-1)?.text === ',') {
    last.pop();
  }
  return { key: key?.text ?? '', value: readValue(value) };
}

function readValue(lines: CallLine[]): ArgumentValue {
  const tokens = lines.flatMap((line) => line.tokens);
  const [token] = tokens;
  if (token === undefined || tokens.length > 1) {
    return { kind: 'json', lines: lines.map((line) => ({ ...line, depth: line.depth - 1 })) };
  }
  return token.kind === 'string' && !needsQuotes(token.text)
    ? { kind: 'text', lines: textLines(token.text) }
    : { kind: 'word', token };
}

/** A text that is empty, that begins or ends with space, or that looks like another value. */
function needsQuotes(text: string): boolean {
  const inner = text.slice(1, -1);
  return inner === '' || /^\s|\s$|^(-?[0-9.]+|true$|false$|null$|[[{]|\\?")/.test(inner);
}

/** A string's JSON text, quotes included, in the lines of its value; together they are the value. */
export function textLines(text: string): CallCharacter[][] {
  const lines: CallCharacter[][] = [[]];
  for (const character of charactersOf(text.slice(1, -1))) {
    if (character.source === '\\n') {
      lines.push([]);
    } else {
      lines.at(-1)?.push(asText(character));
    }
  }
  return lines.map(withMarkedEnd);
}

/** Without the backslash that only JSON needs. */
const asText = (character: CallCharacter): CallCharacter =>
  /^\\["\\/]$/.test(character.source) ? { ...character, label: character.source.slice(1) } : character;

/** Spaces at the end of a line are seen as well. */
function withMarkedEnd(line: CallCharacter[]): CallCharacter[] {
  const end = line.findLastIndex(({ kind }) => kind !== 'space') + 1;
  return line.map((character, at) =>
    at < end ? character : { ...character, kind: 'hidden', label: 'space', name: 'U+0020 space' },
  );
}

/** "2 arguments" */
export const countText = (count: number): string => (count === 1 ? '1 argument' : `${count} arguments`);
