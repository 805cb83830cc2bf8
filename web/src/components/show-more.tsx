import { type ReactNode, useState } from 'react';

/** Of a long list as many as are read at once, each time more are wanted. */
const step = 20;

interface Props<Item> {
  items: readonly Item[];
  children: (shown: readonly Item[]) => ReactNode;
}

/** Draws the first items, and the way to the next ones. */
export function ShowMore<Item>({ items, children }: Props<Item>) {
  const [count, setCount] = useState(step);
  const left = items.length - count;
  return (
    <>
      {children(items.slice(0, count))}
      {left > 0 ? (
        <button type="button" className="text-button" onClick={() => setCount(count + step)}>
          Show {Math.min(step, left)} more of {left}
        </button>
      ) : null}
    </>
  );
}
