/**
 * How long to wait until the next look at something that began `elapsedMs` ago, in milliseconds: a tenth of that, so little is lost by what is
 * quick, and what is slow is not looked at much more often.
 */
export const nextLookMs = (elapsedMs: number): number => Math.min(50, Math.max(4, elapsedMs / 10));
