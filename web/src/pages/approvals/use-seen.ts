/** Whether what decides was in sight: drawn in the window, with nothing above it. */
import { type RefObject, useCallback, useEffect, useRef, useState } from 'react';
import { placesOf, stepTo } from './places.ts';

interface Seen {
  ref: RefObject<HTMLDivElement | null>;
  seen: boolean;
  /** Unfolds what is folded, and scrolls towards what has not been seen yet, past nothing. */
  show: () => void;
}

/** Which of its places were in sight; those of an element whose height changed are others. */
interface Found {
  heightPx: number;
  places: Set<number>;
}

/**
 * True once every element below `ref` that is marked `data-decides` was in sight while `subject` was chosen,
 * from its upper edge to its lower one, together or one after another. What lies below the window's edge or
 * behind the buttons is not in sight, and nothing that is folded is: such a place is marked `data-folded`,
 * and holds the button that unfolds it.
 */
export function useSeen(subject: string): Seen {
  const ref = useRef<HTMLDivElement>(null);
  const found = useRef(new Map<Element, Found>());
  const [seen, setSeen] = useState<string | null>(null);
  const look = useCallback(() => {
    const deciding = decidingBelow(ref.current);
    for (const element of deciding) {
      note(found.current, element);
    }
    if (deciding.length > 0 && deciding.every((element) => firstUnseen(found.current, element) === null)) {
      setSeen(subject);
    }
  }, [subject]);
  useEffect(() => {
    found.current = new Map();
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
    for (const element of decidingBelow(ref.current).filter(isFolded)) {
      element.querySelector('button')?.click();
    }
    requestAnimationFrame(() => {
      scrollToUnseen(ref.current, found.current);
      requestAnimationFrame(look);
    });
  };
  return { ref, seen: seen === subject, show };
}

const decidingBelow = (place: Element | null): Element[] => [
  ...(place?.querySelectorAll('[data-decides]') ?? []),
];

const isFolded = (element: Element): boolean => element.hasAttribute('data-folded');

/** Notes which places of the element are in sight now. */
function note(found: Map<Element, Found>, element: Element): void {
  if (isFolded(element)) {
    found.delete(element);
    return;
  }
  const { left, top, width, height } = element.getBoundingClientRect();
  const heightPx = Math.round(height);
  const before = found.get(element);
  const places = before?.heightPx === heightPx ? before.places : new Set<number>();
  found.set(element, { heightPx, places });
  const x = left + Math.min(width / 2, 40);
  for (const place of placesOf(heightPx)) {
    const y = top + place;
    if (y >= 0 && y <= window.innerHeight && element.contains(document.elementFromPoint(x, y))) {
      places.add(place);
    }
  }
}

/** The first place of the element that was not in sight; null when it was seen. */
function firstUnseen(found: Map<Element, Found>, element: Element): number | null {
  const of = found.get(element);
  return of === undefined ? 0 : (placesOf(of.heightPx).find((place) => !of.places.has(place)) ?? null);
}

function scrollToUnseen(place: HTMLElement | null, found: Map<Element, Found>): void {
  const scroller = scrollerOf(place);
  for (const element of decidingBelow(place)) {
    const unseen = firstUnseen(found, element);
    if (unseen !== null && scroller !== null) {
      const { top, bottom } = scroller.getBoundingClientRect();
      const buttons = place?.querySelector('.dialog-actions')?.getBoundingClientRect().top ?? bottom;
      const visible = { topPx: Math.max(top, 0), bottomPx: Math.min(bottom, buttons) };
      scroller.scrollBy({ top: stepTo(element.getBoundingClientRect().top + unseen, visible) });
      return;
    }
  }
}

/** What scrolls the element. */
function scrollerOf(element: HTMLElement | null): HTMLElement | null {
  for (let place = element?.parentElement ?? null; place !== null; place = place.parentElement) {
    if (/auto|scroll/.test(getComputedStyle(place).overflowY)) {
      return place;
    }
  }
  return null;
}
