/** What is shown of a long list at first. Pure. */

export interface Folded<Item> {
  head: Item[];
  /** Not shown until somebody asks for it; empty when nothing is folded. */
  hidden: Item[];
  tail: Item[];
}

/**
 * The items with their middle set apart when they are more than `most`: beginning and end stay, since what is
 * hostile may be at either.
 */
export function folded<Item>(
  items: readonly Item[],
  { most, head, tail }: { most: number; head: number; tail: number },
): Folded<Item> {
  if (items.length <= most) {
    return { head: [...items], hidden: [], tail: [] };
  }
  const end = items.length - tail;
  return { head: items.slice(0, head), hidden: items.slice(head, end), tail: items.slice(end) };
}
