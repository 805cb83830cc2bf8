/** What differs between two texts, by words or by lines. Pure. */
import { diffArrays } from 'diff';

export type Change = 'same' | 'removed' | 'added';

export interface DiffPiece {
  change: Change;
  text: string;
}

/** A line, or unchanged lines that are left out. */
export type DiffLine = DiffPiece | { change: 'skipped'; count: number };

/** Texts that differ in more places are shown one after the other: a hostile one must not freeze the page. */
const mostEdits = 400;
const contextLines = 3;

/**
 * Words and the space between them; the pieces that are not added make up `before`, in order, and those
 * that are not removed `after`. Changed words with nothing but space between them are one piece each of
 * what was removed and added.
 */
export function diffWords(before: string, after: string): DiffPiece[] {
  const pieces: DiffPiece[] = [];
  let [removed, added] = ['', ''];
  const flush = () => {
    pieces.push(
      ...(removed === '' ? [] : [{ change: 'removed' as const, text: removed }]),
      ...(added === '' ? [] : [{ change: 'added' as const, text: added }]),
    );
    [removed, added] = ['', ''];
  };
  const changes = changesOf(wordsOf(before), wordsOf(after));
  for (const [at, { change, values }] of changes.entries()) {
    const text = values.join('');
    const isBetween = removed + added !== '' && at < changes.length - 1 && spaceInLine.test(text);
    if (change === 'same' && !isBetween) {
      flush();
      pieces.push({ change, text });
    } else {
      removed += change === 'added' ? '' : text;
      added += change === 'removed' ? '' : text;
    }
  }
  flush();
  return pieces;
}

const spaceInLine = /^[^\S\n]+$/;

/** Lines, with `context` unchanged ones before and after each change. Without any change all are left out. */
export function diffLines(before: string, after: string, context = contextLines): DiffLine[] {
  const changes = changesOf(linesOf(before), linesOf(after));
  return changes.flatMap(({ change, values }, at) =>
    change === 'same'
      ? withoutMiddle(values, at === 0 ? 0 : context, at === changes.length - 1 ? 0 : context)
      : values.map((text) => ({ change, text })),
  );
}

const linesOf = (text: string): string[] => (text === '' ? [] : text.split('\n'));
const wordsOf = (text: string): string[] => text.match(/\s+|[^\s]+/g) ?? [];

function changesOf(before: string[], after: string[]): { change: Change; values: string[] }[] {
  const found = diffArrays(before, after, { maxEditLength: mostEdits }) ?? [
    { removed: true, added: false, value: before },
    { removed: false, added: true, value: after },
  ];
  return found.map(({ removed, added, value }) => ({
    change: removed ? 'removed' : added ? 'added' : 'same',
    values: value,
  }));
}

/** Keeps the first `head` lines and the last `tail`, which are next to a change. */
function withoutMiddle(lines: readonly string[], head: number, tail: number): DiffLine[] {
  const count = lines.length - head - tail;
  const shown = (some: readonly string[]): DiffLine[] => some.map((text) => ({ change: 'same', text }));
  // A line that says that one line is left out is no shorter.
  return count <= 1
    ? shown(lines)
    : [
        ...shown(lines.slice(0, head)),
        { change: 'skipped', count },
        ...shown(lines.slice(lines.length - tail)),
      ];
}
