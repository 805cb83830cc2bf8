/** A token bucket that delays callers before it refuses them. */
const minuteMs = 60_000;

export interface Pace {
  /**
   * Takes turns, by default one. Returns how long the caller has to wait before it continues, in milliseconds: 0 within the rate.
   * Null when the wait would be longer than `maxWaitMs`: then no turn was taken.
   */
  take(turns?: number): number | null;
}

/** `perMinute` turns may be taken at once; after that they are evenly spaced. */
export function createPace(
  { perMinute, maxWaitMs }: { perMinute: number; maxWaitMs: number },
  nowMs: () => number = () => performance.now(),
): Pace {
  const intervalMs = minuteMs / perMinute;
  /** When the bucket is full again. */
  let fullAtMs = Number.NEGATIVE_INFINITY;
  return {
    take(turns = 1) {
      const atMs = nowMs();
      const nextFullAtMs = Math.max(fullAtMs, atMs) + turns * intervalMs;
      const waitMs = Math.max(0, nextFullAtMs - minuteMs - atMs);
      if (waitMs > maxWaitMs) {
        return null;
      }
      fullAtMs = nextFullAtMs;
      return waitMs;
    },
  };
}
