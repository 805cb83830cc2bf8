/** Bounds concurrency for one kind of work; more wait their turn, within limits. */

export interface Slots {
  /**
   * A free slot, perhaps after a wait; call the resolved function to release it. Null when none became free before the
   * timeout, or when too many wait already.
   */
  take(maxWaitMs: number): Promise<(() => void) | null>;
}

/** `count` at a time, and `maxWaiting` that wait. */
export function createSlots({ count, maxWaiting }: { count: number; maxWaiting: number }): Slots {
  const waiting = new Set<(release: () => void) => void>();
  let free = count;

  const release = () => {
    const [next] = waiting;
    if (next === undefined) {
      free += 1;
    } else {
      waiting.delete(next);
      next(onceOnly(release));
    }
  };

  return {
    take(maxWaitMs) {
      if (free > 0) {
        free -= 1;
        return Promise.resolve(onceOnly(release));
      }
      if (maxWaitMs <= 0 || waiting.size >= maxWaiting) {
        return Promise.resolve(null);
      }
      return new Promise((resolve) => {
        const settle = (given: () => void) => {
          clearTimeout(timer);
          resolve(given);
        };
        const timer = setTimeout(() => {
          waiting.delete(settle);
          resolve(null);
        }, maxWaitMs);
        waiting.add(settle);
      });
    },
  };
}

function onceOnly(release: () => void): () => void {
  let released = false;
  return () => {
    if (!released) {
      released = true;
      release();
    }
  };
}
