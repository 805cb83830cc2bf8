import { Box, Button } from '@mantine/core';
import { useState } from 'react';
import type { CallLine } from './call-lines.ts';
import { CallTokenText, foldMarks } from './call-piece.tsx';
import { folded } from './folded.ts';

/** Of more lines the first and the last are shown at first. */
const manyLines = { most: 24, head: 14, tail: 8 };

/** Deeper lines are indented no further: they must not be wider than their place. */
const deepestIndent = 8;

/**
 * The arguments of a call in numbered lines: text that wraps, or that looks like a line, has no number of its
 * own. They are marked `data-decides` when `decides`, and so is what is folded: whoever approves exactly this
 * call must have unfolded it and had each of its lines in sight.
 */
export function CallArguments({ lines, decides }: { lines: readonly CallLine[]; decides: boolean }) {
  const [isWhole, setWhole] = useState(false);
  const { head, hidden, tail } = folded(lines, manyLines);
  const shown = isWhole ? [...head, ...hidden] : head;
  const digits = String(lines.length).length;
  const line = (content: CallLine, index: number) => (
    <Line key={index} line={content} number={index + 1} decides={decides} />
  );
  return (
    <Box className="call-text" role="group" aria-label="Arguments" {...{ tabIndex: 0 }}>
      <ol
        className="call-lines"
        style={{ paddingInlineStart: `${digits + 2}ch` }}
        {...(decides ? { 'data-decides': true } : {})}
      >
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
      </ol>
    </Box>
  );
}

function Line({
  line: { depth, tokens },
  number,
  decides,
}: {
  line: CallLine;
  number: number;
  decides: boolean;
}) {
  return (
    <li
      value={number}
      // What wraps is indented further than the line that it belongs to.
      style={{ paddingInlineStart: `${2 * Math.min(depth, deepestIndent) + 2}ch` }}
    >
      <span>
        {tokens.map(({ kind, text }, index) => {
          const key = `${index}`;
          return (
            <span key={key} className={`call-${kind}`}>
              <CallTokenText text={text} decides={decides} />
              {text === ':' ? ' ' : null}
            </span>
          );
        })}
      </span>
    </li>
  );
}
