import { Box } from '@mantine/core';
import type { CallLine } from './call-lines.ts';
import { CallTokenText } from './call-piece.tsx';
import { FoldedLines } from './folded-lines.tsx';

/** Deeper lines are indented no further: they must not be wider than their place. */
const deepestIndent = 8;

/**
 * The arguments of a call in numbered lines: text that wraps, or that looks like a line, has no number of its
 * own. They are marked `data-decides` when `decides`, and so is what is folded: whoever approves exactly this
 * call must have unfolded it and had each of its lines in sight.
 */
export function CallArguments({ lines, decides }: { lines: readonly CallLine[]; decides: boolean }) {
  const digits = String(lines.length).length;
  return (
    <Box className="call-text" role="group" aria-label="Arguments" {...{ tabIndex: 0 }}>
      <ol
        className="call-lines"
        style={{ paddingInlineStart: `${digits + 2}ch` }}
        {...(decides ? { 'data-decides': true } : {})}
      >
        <FoldedLines lines={lines} decides={decides}>
          {(content, index) => <Line key={index} line={content} number={index + 1} decides={decides} />}
        </FoldedLines>
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
