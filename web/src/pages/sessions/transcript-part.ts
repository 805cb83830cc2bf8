/** The part of a long transcript that is drawn. Pure. */

/** How many entries are drawn at most, and how many one step goes. */
export const stepOf = { drawn: 120, entries: 60 } as const;

/** From the entry that was the first one drawn, or what is in its place now; without one, the newest. */
export function partOf(
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
