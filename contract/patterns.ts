/**
 * Regular expressions of a manifest. An admin of any workspace writes them and every process that checks a
 * value runs them, so their cost is bounded: before the run by size, and during it by the caller's
 * deadline (lib/patterns/).
 */

/** One run of an expression; without a text it is only compiled. */
export interface PatternTask {
  regex: string;
  text: string | null;
}

/** `not_checked`: this task was not run; never treated as a match. */
export type PatternVerdict =
  | { result: 'compiles' | 'matches' | 'differs' | 'too_costly' | 'not_checked' }
  | { result: 'invalid'; reason: string };

export type JudgePattern = (task: PatternTask) => PatternVerdict;

export const patternLimits = {
  /** Variables of one manifest. */
  variables: 100,
  /** Tools of one manifest that need a scope. */
  toolScopes: 1_000,
  characters: 250,
  /** What one expression compiles to; `[a-z]{1,1000}` is about 2,000. */
  instructions: 2_100,
  /** All expressions of one manifest together. */
  totalInstructions: 4_000,
};

interface Group {
  /** Instructions of the completed items. */
  total: number;
  /** Instructions of the last item, which a repetition applies to. */
  last: number;
}

/** Fixed overhead in instructions. */
const frame = 3;
const groupStart = /^\(\?(?:P?<\w+>|[imsU-]*:|[imsU-]+\))/;
const quoted = /^\\Q(.*?)(?:\\E|$)/s;
const escaped = /^\\(?:[pP](?:\{[^}]*\}|.)|x\{[^}]*\}|.)/su;
/** Each piece matches in one way only: with two, an unclosed class would cause catastrophic backtracking. */
const characterClass = /^\[\^?\]?(?:\[:\^?\w+:\]|\\(?:[pP](?:\{[^}]*\}|[^{])|[^pP])|[^\]\\])*\]/s;
const repetition = /^\{(\d+)(,?)(\d*)\}/;

/**
 * Upper bound of the instructions that the expression compiles to, found without compiling it: what is
 * repeated is counted as often as it is repeated. Meaningless for an invalid expression.
 */
export function patternSize(regex: string): number {
  const open: Group[] = [{ total: frame, last: 0 }];
  let rest = regex;
  while (rest !== '') {
    const taken = takeItem(rest, open);
    rest = rest.slice(Math.max(taken, 1));
  }
  return open.reduce((sum, { total, last }) => sum + total + last, 0);
}

/** Counts the item at the start of `rest`; returns how many characters it has. */
function takeItem(rest: string, open: Group[]): number {
  const group = open.at(-1) ?? { total: 0, last: 0 };
  const add = (size: number, length: number) => {
    group.total += group.last;
    group.last = size;
    return length;
  };
  switch (rest[0]) {
    case '(': {
      const [start = '('] = groupStart.exec(rest) ?? [];
      if (!start.endsWith(')')) {
        open.push({ total: 2, last: 0 });
      }
      return start.length;
    }
    case ')':
      return open.length > 1 ? closeGroup(open) : add(1, 1);
    case '\\': {
      const literal = quoted.exec(rest);
      return literal === null
        ? add(1, (escaped.exec(rest) ?? ['\\'])[0].length)
        : add((literal[1] ?? '').length, literal[0].length);
    }
    case '[':
      return add(1, (characterClass.exec(rest) ?? ['['])[0].length);
    case '{': {
      const [text, from = '', , to = ''] = repetition.exec(rest) ?? [];
      if (text === undefined) {
        return add(1, 1);
      }
      group.last = (group.last + 1) * Math.max(Number(from), Number(to), 1) + 1;
      return text.length;
    }
    case '*':
    case '+':
    case '?':
      group.last += 2;
      return 1;
    default:
      return add(1, 1);
  }
}

/** A closed group is one item of the group around it. */
function closeGroup(open: Group[]): number {
  const closed = open.pop();
  const outer = open.at(-1);
  if (closed !== undefined && outer !== undefined) {
    outer.total += outer.last;
    outer.last = closed.total + closed.last;
  }
  return 1;
}

/** Why an expression may not run at all, or null. */
export function patternBoundProblem(regex: string): string | null {
  if (regex.length > patternLimits.characters) {
    return `must have at most ${patternLimits.characters} characters`;
  }
  return patternSize(regex) > patternLimits.instructions
    ? `is too large: what it repeats adds up to more than ${patternLimits.instructions} steps`
    : null;
}
