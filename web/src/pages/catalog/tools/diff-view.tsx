/**
 * What differs between two texts of a server: removed and added parts are marked by sign or line,
 * colour, and for screen readers.
 */
import { Button, Code, VisuallyHidden } from '@mantine/core';
import { type ReactNode, useMemo, useState } from 'react';
import { VisibleText } from '../../../components/visible-text.tsx';
import { type Change, type DiffLine, diffLines, diffWords } from './text-diff.ts';

export function WordDiff({ label, before, after }: { label: string; before: string; after: string }) {
  const pieces = useMemo(() => diffWords(before, after), [before, after]);
  return (
    <Code block mah={480} tabIndex={0} aria-label={label} className="diff-words">
      {pieces.map(({ change, text }, at) => {
        const key = `${at}`;
        return (
          <Marked key={key} change={change}>
            <VisibleText text={text} />
          </Marked>
        );
      })}
    </Code>
  );
}

/** A page of hostile diffs must not freeze; the rest is shown on request. */
const mostLines = 400;

export function LineDiff({ label, before, after }: { label: string; before: string; after: string }) {
  const [isWhole, setWhole] = useState(false);
  const lines = useMemo(
    () => diffLines(before, after, ...(isWhole ? [Number.POSITIVE_INFINITY] : [])),
    [before, after, isWhole],
  );
  const shown = isWhole ? lines : lines.slice(0, mostLines);
  const left = lines.length - shown.length;
  return (
    <>
      <Code block mah={480} tabIndex={0} aria-label={label}>
        {shown.map((line, at) => {
          const key = `${at}`;
          return <Line key={key} line={line} />;
        })}
        {left === 0 ? null : <span className="diff-line diff-skipped">… {left} more lines</span>}
      </Code>
      {left > 0 || shown.some(({ change }) => change === 'skipped') ? (
        <div>
          <Button size="compact-xs" variant="default" onClick={() => setWhole(true)}>
            Show all lines
          </Button>
        </div>
      ) : null}
    </>
  );
}

const signs: Record<Change, string> = { same: '  ', removed: '− ', added: '+ ' };

function Line({ line }: { line: DiffLine }) {
  return line.change === 'skipped' ? (
    <span className="diff-line diff-skipped">… {line.count} unchanged lines</span>
  ) : (
    <Marked change={line.change} className="diff-line">
      <span aria-hidden>{signs[line.change]}</span>
      <VisibleText text={line.text} />
    </Marked>
  );
}

function Marked({
  change,
  className = '',
  children,
}: {
  change: Change;
  className?: string;
  children: ReactNode;
}) {
  if (change === 'same') {
    return <span className={className}>{children}</span>;
  }
  const Element = change === 'removed' ? 'del' : 'ins';
  return (
    <Element className={`${className} diff-${change}`}>
      <VisuallyHidden>{change}: </VisuallyHidden>
      {children}
    </Element>
  );
}
