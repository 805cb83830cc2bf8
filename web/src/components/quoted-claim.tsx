import { Button } from '@mantine/core';
import { useState } from 'react';
import { VisibleText } from './visible-text.tsx';

/** A quote of more than this is folded: the relevant facts must not be pushed out of sight by a long text. */
const shownCharacters = 400;
const shownLines = 6;

/**
 * A quote of another person or an agent, marked as such: readers must not mistake it for
 * the platform's own words.
 */
export function QuotedClaim({ by, text }: { by: string; text: string }) {
  const [open, setOpen] = useState(false);
  const isLong = text.length > shownCharacters || text.split('\n').length > shownLines;
  return (
    <figure className="claim">
      <figcaption>
        Written by <VisibleText text={by} />, not verified:
      </figcaption>
      <blockquote
        aria-label={`Unverified text by ${by}`}
        className={isLong && !open ? 'folded-quote' : undefined}
      >
        <VisibleText text={text} />
      </blockquote>
      {isLong ? (
        <Button
          mt={4}
          size="compact-sm"
          variant="default"
          aria-expanded={open}
          onClick={() => setOpen(!open)}
        >
          {open ? 'Show less' : `Show all ${text.length.toLocaleString('en')} characters`}
        </Button>
      ) : null}
    </figure>
  );
}
