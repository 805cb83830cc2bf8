/** Memory that several share: whoever finds too little of it free waits, and so does the connection that it would be taken for. */

export interface ByteBudget {
  /** Takes bytes without waiting; false when not enough are free. */
  tryTake(count: number): boolean;
  /** Takes bytes as soon as they are free, first come, first served. False on timeout. */
  take(count: number, maxWaitMs: number): Promise<boolean>;
  give(count: number): void;
}

export function createByteBudget(totalBytes: number): ByteBudget {
  let taken = 0;
  const waiting: { count: number; settle: () => void }[] = [];
  // A piece larger than the whole budget is let through when nothing else is held.
  const fits = (count: number) => taken === 0 || taken + count <= totalBytes;

  const serve = () => {
    for (let next = waiting[0]; next !== undefined && fits(next.count); next = waiting[0]) {
      taken += next.count;
      waiting.shift();
      next.settle();
    }
  };

  return {
    tryTake(count) {
      if (waiting.length > 0 || !fits(count)) {
        return false;
      }
      taken += count;
      return true;
    },
    take(count, maxWaitMs) {
      return new Promise((resolve) => {
        const entry = {
          count,
          settle() {
            clearTimeout(timer);
            resolve(true);
          },
        };
        const timer = setTimeout(
          () => {
            waiting.splice(waiting.indexOf(entry), 1);
            resolve(false);
            serve();
          },
          Math.max(0, maxWaitMs),
        );
        waiting.push(entry);
        serve();
      });
    },
    give(count) {
      taken -= count;
      serve();
    },
  };
}

/**
 * Returns an owner's part of memory that all owners share: at most `shareBytes`, and less while the others hold much. Who waits for room in their own share
 * keeps nobody else waiting.
 */
export function createSharedBytes({
  totalBytes,
  shareBytes,
}: {
  totalBytes: number;
  shareBytes: number;
}): (owner: string) => ByteBudget {
  const whole = createByteBudget(totalBytes);
  /** `inUseBytes`: taken, or waited for. */
  const shares = new Map<string, { budget: ByteBudget; inUseBytes: number }>();

  const begin = (owner: string, count: number): ByteBudget => {
    const share = shares.get(owner) ?? { budget: createByteBudget(shareBytes), inUseBytes: 0 };
    shares.set(owner, share);
    share.inUseBytes += count;
    return share.budget;
  };
  const end = (owner: string, count: number): void => {
    const share = shares.get(owner);
    if (share !== undefined) {
      share.inUseBytes -= count;
      if (share.inUseBytes === 0) {
        shares.delete(owner);
      }
    }
  };

  return (owner) => ({
    tryTake(count) {
      const share = begin(owner, count);
      if (share.tryTake(count)) {
        if (whole.tryTake(count)) {
          return true;
        }
        share.give(count);
      }
      end(owner, count);
      return false;
    },
    async take(count, maxWaitMs) {
      const endsAtMs = performance.now() + maxWaitMs;
      const share = begin(owner, count);
      if (await share.take(count, maxWaitMs)) {
        if (await whole.take(count, endsAtMs - performance.now())) {
          return true;
        }
        share.give(count);
      }
      end(owner, count);
      return false;
    },
    give(count) {
      shares.get(owner)?.budget.give(count);
      whole.give(count);
      end(owner, count);
    },
  });
}
