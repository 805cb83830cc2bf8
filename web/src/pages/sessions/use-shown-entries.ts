/** Which part of a transcript is drawn: so many entries at most, however many were read. */
import { useEffect, useLayoutEffect, useRef, useState } from 'react';
import type { TranscriptEntry } from './transcript-entries.ts';

interface Older {
  hasOlder: boolean;
  isLoadingOlder: boolean;
  loadOlder(): void;
}

/** Keeps what is on the screen where it is when entries come or go above it. */
export function useShownEntries(
  entries: readonly TranscriptEntry[],
  { hasOlder, isLoadingOlder, loadOlder }: Older,
) {
  /** The first one that is drawn; null for the newest part, which moves on with what comes. */
  const [top, setTop] = useState<{ key: string; at: string } | null>(null);
  const [isWaiting, setWaiting] = useState(false);
  const list = useRef<HTMLOListElement>(null);
  /** From the one in sight on: what is there no longer leaves its place to the next. */
  const kept = useRef<{ key: string; y: number }[]>([]);
  const part = partOf(entries, top);

  const keepPlace = () => {
    kept.current = drawnIn(list.current)
      .filter(isBelowHead)
      .map((element) => ({ key: keyOf(element), y: element.getBoundingClientRect().top }));
  };
  const moveTo = (index: number) => {
    const first = entries[index];
    keepPlace();
    setTop(first === undefined ? null : { key: first.key, at: first.at });
  };
  const earlier = () => {
    if (part.from > 0) {
      moveTo(Math.max(0, part.from - stepOf.entries));
    } else if (hasOlder) {
      moveTo(0);
      setWaiting(true);
      loadOlder();
    }
  };
  // biome-ignore lint/correctness/useExhaustiveDependencies: once more have come, those before the drawn ones follow.
  useEffect(() => {
    if (isWaiting && !isLoadingOlder) {
      setWaiting(false);
      if (part.from > 0) {
        moveTo(Math.max(0, part.from - stepOf.entries));
      }
    }
  }, [isWaiting, isLoadingOlder]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: each of these changes what is drawn.
  useLayoutEffect(() => {
    const drawn = new Map(drawnIn(list.current).map((element) => [keyOf(element), element]));
    const place = kept.current.find(({ key }) => drawn.has(key));
    const element = drawn.get(place?.key ?? '');
    if (place === undefined || element === undefined) {
      return undefined;
    }
    kept.current = isWaiting ? kept.current : [];
    return keptThrough(settlingFrames, () =>
      window.scrollBy(0, element.getBoundingClientRect().top - place.y),
    );
  }, [entries, part.from, isWaiting]);
  return {
    list,
    shown: entries.slice(part.from, part.to),
    hasEarlier: part.from > 0 || hasOlder,
    hasLater: part.to < entries.length,
    isLoading: isWaiting || isLoadingOlder,
    earlier,
    later() {
      const next = part.from + stepOf.entries;
      moveTo(next + stepOf.drawn >= entries.length ? entries.length : next);
    },
    toLatest: () => setTop(null),
  };
}

/** Entries have their own height only once they are drawn, and come into sight one frame after the other. */
const settlingFrames = 4;

/** Scrolls now and in each of the next frames, until somebody else does. Returns how to stop that. */
function keptThrough(frames: number, scroll: () => void): () => void {
  scroll();
  let [left, at] = [frames, window.scrollY];
  const next = () => {
    if (window.scrollY === at) {
      scroll();
      at = window.scrollY;
      left -= 1;
      frame = left > 0 ? requestAnimationFrame(next) : 0;
    }
  };
  let frame = requestAnimationFrame(next);
  return () => cancelAnimationFrame(frame);
}

const keyOf = (element: HTMLElement) => element.dataset['key'] ?? '';
const drawnIn = (list: HTMLElement | null): HTMLElement[] =>
  [...(list?.children ?? [])].filter(
    (element): element is HTMLElement => element instanceof HTMLElement && keyOf(element) !== '',
  );

/** What is pinned to the upper edge hides what is behind it. */
const headPx = 150;
const isBelowHead = (element: HTMLElement) => element.getBoundingClientRect().bottom > headPx;

/** How many entries are drawn at most, and how many one step goes. */
const stepOf = { drawn: 120, entries: 60 } as const;

/** From the entry that was the first one drawn, or what is in its place now; without one, the newest. */
function partOf(
  entries: readonly { key: string; at: string }[],
  top: { key: string; at: string } | null,
): { from: number; to: number } {
  const newest = { from: Math.max(0, entries.length - stepOf.drawn), to: entries.length };
  if (top === null) {
    return newest;
  }
  const same = entries.findIndex(({ key }) => key === top.key);
  const from = same >= 0 ? same : entries.findIndex(({ at }) => at >= top.at);
  return from < 0 || from >= newest.from
    ? newest
    : { from, to: Math.min(entries.length, from + stepOf.drawn) };
}
