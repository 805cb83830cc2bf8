/** Where a thing that decides has to be looked at, and how far to scroll towards it. Pure. */

/** Of a line of text its middle is enough: that a pixel of it is cut off hides nothing. */
const lineHeightPx = 24;

/** Less than a window shows at once: whoever scrolls past without a stop has left one of the places out. */
const mostApartPx = 120;

/** Distances from the upper edge that have to be in sight, together or one after another. */
export function placesOf(heightPx: number): number[] {
  if (heightPx <= lineHeightPx) {
    return [heightPx / 2];
  }
  const parts = Math.ceil(heightPx / mostApartPx);
  return Array.from({ length: parts + 1 }, (_, part) => 1 + ((heightPx - 2) * part) / parts);
}

/** Some of what was in sight stays there, so that nothing is jumped over. */
const longestStep = 0.8;

/** How far to scroll so that `yPx` comes nearer to the middle of the part that is visible. */
export function stepTo(yPx: number, { topPx, bottomPx }: { topPx: number; bottomPx: number }): number {
  const most = longestStep * (bottomPx - topPx);
  return Math.max(-most, Math.min(most, yPx - (topPx + bottomPx) / 2));
}
