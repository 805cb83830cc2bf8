/**
 * A token of a call, character by character, so that nothing in it can hide: what has no shape or reorders
 * its surroundings is a mark, and so is a long run of spaces. Pure.
 */
import { hasHidden, nameOfCharacter } from '../../../text/visible-text.ts';

/**
 * `leftward`: of a script that is written from right to left. `escape`: JSON's own, of
 * what texts usually hold.
 */
type Kind = 'plain' | 'leftward' | 'space' | 'escape' | 'hidden';

/** One character of the value. Several of JSON's text may be needed for it. */
export interface CallCharacter {
  kind: Kind;
  source: string;
  /** What is drawn in its place. */
  label: string;
  /** Code point and meaning of what is marked, such as `U+202E right-to-left override`. */
  name: string | null;
}

/** A run of characters of one kind; of one character where they are hidden. */
export interface CallPiece extends CallCharacter {
  kind: Exclude<Kind, 'space'>;
  /** How many characters of the value. */
  count: number;
}

const usualEscapes = new Map([
  ['\\n', 'U+000A line feed'],
  ['\\r', 'U+000D carriage return'],
  ['\\t', 'U+0009 tab'],
]);
const otherEscapes = new Map([
  ['\\b', '\b'],
  ['\\f', '\f'],
]);

/** The blocks of scripts that are written from right to left. */
const leftward = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefe\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u;

/** More than this may be there to push something out of sight; indentation rarely is that deep. */
const mostSpaces = 16;

/** The characters of a token, in order. Their sources together are the token. */
export function charactersOf(token: string): CallCharacter[] {
  return [...token.matchAll(/\\u[0-9a-fA-F]{4}|\\.|./gsu)].map(([source]) => characterOf(source));
}

function characterOf(source: string): CallCharacter {
  const usual = usualEscapes.get(source);
  if (usual !== undefined) {
    return { kind: 'escape', source, label: source, name: usual };
  }
  const character = unescaped(source);
  if (character !== source || /[\n\t]/.test(source) || hasHidden(source)) {
    return { kind: 'hidden', source, label: labelOf(character), name: nameOfCharacter(character) };
  }
  const kind = source === ' ' ? 'space' : leftward.test(source) ? 'leftward' : 'plain';
  return { kind, source, label: source, name: null };
}

/** What an escape other than the usual ones stands for; everything else is itself. */
function unescaped(source: string): string {
  return source.startsWith('\\u')
    ? String.fromCharCode(Number.parseInt(source.slice(2), 16))
    : (otherEscapes.get(source) ?? source);
}

/** `\u202E`, `\u{E0041}`. */
function labelOf(character: string): string {
  const digits = (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0');
  return digits.length > 4 ? `\\u{${digits}}` : `\\u${digits}`;
}

/**
 * The same characters in runs. The sources of the pieces together are the token, or the
 * part of it that was given.
 */
export function piecesOf(characters: readonly CallCharacter[]): CallPiece[] {
  const runs: (CallCharacter & { count: number })[] = [];
  for (const character of characters) {
    const last = runs.at(-1);
    if (last?.kind === character.kind && last.name === character.name) {
      last.source += character.source;
      last.label += last.kind === 'hidden' ? '' : character.label;
      last.count += 1;
    } else {
      runs.push({ ...character, count: 1 });
    }
  }
  return withoutShortSpaces(runs);
}

/** Spaces are a mark when there are many of them, and plain otherwise. */
function withoutShortSpaces(runs: readonly (CallCharacter & { count: number })[]): CallPiece[] {
  const pieces: CallPiece[] = [];
  for (const { kind: runKind, ...run } of runs) {
    const last = pieces.at(-1);
    const kind = runKind === 'space' ? 'plain' : runKind;
    if (runKind === 'space' && run.count > mostSpaces) {
      pieces.push({ ...run, kind: 'hidden', label: 'space', name: 'U+0020 space' });
    } else if (kind === 'plain' && last?.kind === 'plain') {
      last.source += run.source;
      last.label += run.label;
      last.count += run.count;
    } else {
      pieces.push({ ...run, kind });
    }
  }
  return pieces;
}

/** How many of them are marked as hidden, those of long runs of spaces included. */
export const countHidden = (characters: readonly CallCharacter[]): number =>
  piecesOf(characters).reduce((sum, { kind, count }) => sum + (kind === 'hidden' ? count : 0), 0);
