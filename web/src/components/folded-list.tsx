import { Button, List } from '@mantine/core';
import { type ReactNode, useState } from 'react';

/** More than this are folded: what a person decides by must not push the decision out of sight. */
const mostShown = 3;

interface FoldedListProps<Item> {
  items: readonly Item[];
  /** How many there are that nobody listed. */
  more: number;
  /** What they are, in plural. */
  what: string;
  keyOf: (item: Item) => string;
  /** Attributes of each line, and of the place of those that are folded. */
  marks?: object;
  children: (item: Item) => ReactNode;
}

/** The first items, and a button that shows the others in their place. */
export function FoldedList<Item>({ items, more, what, keyOf, marks, children }: FoldedListProps<Item>) {
  const [open, setOpen] = useState(false);
  const isLong = items.length > mostShown;
  const total = items.length + more;
  return (
    <>
      <List size="sm">
        {(open ? items : items.slice(0, mostShown)).map((item) => (
          <List.Item key={keyOf(item)} {...marks}>
            {children(item)}
          </List.Item>
        ))}
        {more > 0 && (open || !isLong) ? (
          <List.Item {...marks}>and {more} more, which are not listed here</List.Item>
        ) : null}
      </List>
      {isLong ? (
        <div {...marks} {...(open ? {} : { 'data-folded': true })}>
          <Button
            mt={4}
            size="compact-xs"
            variant="default"
            aria-expanded={open}
            onClick={() => setOpen(!open)}
          >
            {open
              ? `Show fewer ${what}`
              : `Show ${more === 0 ? 'all ' : `${items.length} of `}${total} ${what}`}
          </Button>
        </div>
      ) : null}
    </>
  );
}
