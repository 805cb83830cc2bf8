/** A patch, line by line: what is added and removed is in colour, beside its first character. */
import { Code } from '@mantine/core';
import { VisibleText } from '../../components/visible-text.tsx';
import { diffLines } from './diff-lines.ts';

const colours = {
  added: 'var(--gp-ok)',
  removed: 'var(--gp-fail)',
  place: 'var(--gp-run)',
  file: undefined,
  same: undefined,
};

export function DiffText({ text }: { text: string }) {
  return (
    <Code block tabIndex={0} aria-label="Text of the artifact" mah="60vh">
      {diffLines(text).map(({ kind, line }, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the text never changes.
        <span key={at} style={{ color: colours[kind], fontWeight: kind === 'file' ? 700 : undefined }}>
          <VisibleText text={line} />
          {'\n'}
        </span>
      ))}
    </Code>
  );
}
