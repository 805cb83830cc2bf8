import { type ReactNode, useState } from 'react';

/** A text of more than this is folded: nobody has to pass by all of it. */
const shownLines = 8;
const shownCharacters = 900;

/** Draws a text, or its beginning and the way to the rest of it: what is folded costs the page nothing. */
export function FoldedText({ text, children }: { text: string; children: (shown: string) => ReactNode }) {
  const [isOpen, setOpen] = useState(false);
  const lines = text.split('\n').length;
  if (lines <= shownLines && text.length <= shownCharacters) {
    return children(text);
  }
  const rest =
    lines > shownLines
      ? `${lines.toLocaleString('en')} lines`
      : `${text.length.toLocaleString('en')} characters`;
  return (
    <>
      <div className={isOpen ? undefined : 'folded-text'}>{children(isOpen ? text : beginningOf(text))}</div>
      <button type="button" className="text-button" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        {isOpen ? 'Show less' : `Show all ${rest}`}
      </button>
    </>
  );
}

const beginningOf = (text: string): string =>
  text
    .slice(0, 2 * shownCharacters)
    .split('\n')
    .slice(0, 2 * shownLines)
    .join('\n');
