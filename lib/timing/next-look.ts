/**
 * How long to wait until the next look at something that began `elapsedMs` ago, in milliseconds: a tenth of
 * that, so little is lost by what is quick, and what is slow is not looked at much more often. At least
 * `leastMs`, and at most `mostMs` unless that is less.
 */
export const nextLookMs = (elapsedMs: number, { leastMs = 4, mostMs = 50 } = {}): number =>
  Math.max(leastMs, Math.min(elapsedMs / 10, mostMs));
