/** What each line of a patch is. Pure. */
import type { Artifact } from '../../api/types.ts';

export type DiffKind = 'added' | 'removed' | 'place' | 'file' | 'same';

export const isDiff = ({ mime_type: type }: Pick<Artifact, 'mime_type'>): boolean => type === 'text/x-diff';

/**
 * A line counts as part of a change only within the lines that its head announces: a removed line that begins
 * with `-- ` looks like the head of a file otherwise.
 */
export function diffLines(text: string): { kind: DiffKind; line: string }[] {
  let before = 0;
  let after = 0;
  return text
    .replace(/\n$/, '')
    .split('\n')
    .map((line) => {
      const [first] = line;
      if (before > 0 || after > 0) {
        before -= first === '-' || first === ' ' ? 1 : 0;
        after -= first === '+' || first === ' ' ? 1 : 0;
        return { kind: first === '+' ? 'added' : first === '-' ? 'removed' : 'same', line };
      }
      const head = /^@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@/.exec(line);
      if (head !== null) {
        before = Number(head[1] ?? 1);
        after = Number(head[2] ?? 1);
        return { kind: 'place', line };
      }
      return { kind: line.startsWith('diff --git ') ? 'file' : 'same', line };
    });
}
