/** Whether what decides was in sight: drawn in the window, with nothing above it. */
import { type RefObject, useCallback, useEffect, useRef, useState } from 'react';

interface Seen {
  ref: RefObject<HTMLDivElement | null>;
  seen: boolean;
  /** Brings what has not been seen yet into sight. */
  show: () => void;
}

/**
 * True once every element below `ref` that is marked `data-decides` was in sight while `subject` was chosen,
 * together or one after another. What lies below the window's edge or behind the buttons is not in sight, and
 * nothing that is folded is: such a place is marked `data-folded`, and holds the button that unfolds it.
 */
export function useSeen(subject: string): Seen {
  const ref = useRef<HTMLDivElement>(null);
  const found = useRef(new Set<Element>());
  const [seen, setSeen] = useState<string | null>(null);
  const look = useCallback(() => {
    const deciding = decidingBelow(ref.current);
    for (const element of deciding.filter(isFolded)) {
      found.current.delete(element);
    }
    for (const element of deciding.filter((each) => !isFolded(each) && isInSight(each))) {
      found.current.add(element);
    }
    if (deciding.length > 0 && deciding.every((element) => found.current.has(element))) {
      setSeen(subject);
    }
  }, [subject]);
  useEffect(() => {
    found.current = new Set();
    const afterDrawing = requestAnimationFrame(look);
    window.addEventListener('scroll', look, { capture: true, passive: true });
    window.addEventListener('resize', look);
    // What is unfolded, or shown in another view, may be in sight without scrolling.
    const unfolding = new MutationObserver(() => requestAnimationFrame(look));
    if (ref.current !== null) {
      unfolding.observe(ref.current, { subtree: true, childList: true, attributeFilter: ['data-folded'] });
    }
    return () => {
      cancelAnimationFrame(afterDrawing);
      unfolding.disconnect();
      window.removeEventListener('scroll', look, { capture: true });
      window.removeEventListener('resize', look);
    };
  }, [look]);
  const show = () => {
    const next = decidingBelow(ref.current).find((element) => !found.current.has(element));
    if (next !== undefined && isFolded(next)) {
      next.querySelector('button')?.click();
    }
    next?.scrollIntoView({ block: 'center' });
    // It may have come into sight without scrolling, when something above it was folded.
    requestAnimationFrame(look);
  };
  return { ref, seen: seen === subject, show };
}

const decidingBelow = (place: Element | null): Element[] => [
  ...(place?.querySelectorAll('[data-decides]') ?? []),
];

const isFolded = (element: Element): boolean => element.hasAttribute('data-folded');

/** Of a line of text its middle is enough: that a pixel of it is cut off hides nothing. */
const lineHeightPx = 24;

function isInSight(element: Element): boolean {
  const { left, top, bottom, width, height } = element.getBoundingClientRect();
  const heights = height <= lineHeightPx ? [top + height / 2] : [top + 1, bottom - 1];
  return heights.every((y) => element.contains(document.elementFromPoint(left + Math.min(width / 2, 40), y)));
}
