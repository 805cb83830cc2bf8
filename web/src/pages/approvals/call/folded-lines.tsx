import { Button } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { foldMarks } from './call-piece.tsx';
import { folded } from './folded.ts';

/** Of more lines the first and the last are shown at first. */
const manyLines = { most: 24, head: 14, tail: 8 };

/** The items of a list of lines, those in the middle folded. What is folded decides as the lines do. */
export function FoldedLines<Content>({
  lines,
  decides,
  children: line,
}: {
  lines: readonly Content[];
  decides: boolean;
  children: (content: Content, index: number) => ReactNode;
}) {
  const [isWhole, setWhole] = useState(false);
  const { head, hidden, tail } = folded(lines, manyLines);
  const shown = isWhole ? [...head, ...hidden] : head;
  return (
    <>
      {shown.map(line)}
      {hidden.length === 0 ? null : (
        <li className="call-gap" {...foldMarks(decides, isWhole)}>
          <Button
            size="compact-xs"
            variant="default"
            aria-expanded={isWhole}
            onClick={() => setWhole(!isWhole)}
          >
            {isWhole ? 'Show fewer lines' : `… ${hidden.length.toLocaleString('en')} more lines`}
          </Button>
        </li>
      )}
      {tail.map((content, index) => line(content, lines.length - tail.length + index))}
    </>
  );
}
