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
 * together or one after another. What lies below the window's edge or behind the buttons is not in sight.
 */
export function useSeen(subject: string): Seen {
  const ref = useRef<HTMLDivElement>(null);
  const found = useRef(new Set<Element>());
  const [seen, setSeen] = useState<string | null>(null);
  const look = useCallback(() => {
    const deciding = decidingBelow(ref.current);
    for (const element of deciding.filter(isInSight)) {
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
    return () => {
      cancelAnimationFrame(afterDrawing);
      window.removeEventListener('scroll', look, { capture: true });
      window.removeEventListener('resize', look);
    };
  }, [look]);
  const show = () => {
    decidingBelow(ref.current)
      .find((element) => !found.current.has(element))
      ?.scrollIntoView({ block: 'center' });
    // It may have come into sight without scrolling, when something above it was folded.
    requestAnimationFrame(look);
  };
  return { ref, seen: seen === subject, show };
}

const decidingBelow = (place: Element | null): Element[] => [
  ...(place?.querySelectorAll('[data-decides]') ?? []),
];

/** Of a line of text its middle is enough: that a pixel of it is cut off hides nothing. */
const lineHeightPx = 24;

function isInSight(element: Element): boolean {
  const { left, top, bottom, width, height } = element.getBoundingClientRect();
  const heights = height <= lineHeightPx ? [top + height / 2] : [top + 1, bottom - 1];
  return heights.every((y) => element.contains(document.elementFromPoint(left + Math.min(width / 2, 40), y)));
}
