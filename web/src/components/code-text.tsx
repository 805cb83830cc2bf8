import { Code } from '@mantine/core';
import { VisibleText } from './visible-text.tsx';

/** A text of somebody else's within a line: a name, an address, a scope. */
export const CodeText = ({ text }: { text: string }) => (
  <Code>
    <VisibleText text={text} />
  </Code>
);
