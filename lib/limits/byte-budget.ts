/**
 * Memory that several share: whoever finds too little of it free waits, and so does the connection
 * that it would be taken for.
 */

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
 * Returns the part of owners, one of each kind, in memory that all owners share: at most the share of each,
 * and less while others hold much. Waiting for room in a share blocks only those who have the same share. An
 * owner who is null has no share of that kind.
 */
export function createSharedBytes<Kind extends string>({
  totalBytes,
  shareBytes,
}: {
  totalBytes: number;
  shareBytes: Readonly<Record<Kind, number>>;
}): (owners: Readonly<Record<Kind, string | null>>) => ByteBudget {
  const whole = createByteBudget(totalBytes);
  /** `inUseBytes`: taken, or waited for. */
  const shares = new Map<string, { budget: ByteBudget; inUseBytes: number }>();

  return (owners) => {
    const own = (Object.keys(shareBytes) as Kind[])
      .filter((kind) => owners[kind] !== null)
      .map((kind) => ({ key: `${kind} ${owners[kind]}`, bytes: shareBytes[kind] }));
    const begin = (count: number): ByteBudget[] => {
      const ofOwners = own.map(({ key, bytes }) => {
        const share = shares.get(key) ?? { budget: createByteBudget(bytes), inUseBytes: 0 };
        shares.set(key, share);
        share.inUseBytes += count;
        return share.budget;
      });
      return [...ofOwners, whole];
    };
    const end = (budgets: ByteBudget[], count: number): void => {
      for (const budget of budgets) {
        budget.give(count);
      }
      for (const { key } of own) {
        const share = shares.get(key);
        if (share !== undefined) {
          share.inUseBytes -= count;
          if (share.inUseBytes === 0) {
            shares.delete(key);
          }
        }
      }
    };
    return {
      tryTake(count) {
        const budgets = begin(count);
        const missing = budgets.findIndex((budget) => !budget.tryTake(count));
        if (missing >= 0) {
          end(budgets.slice(0, missing), count);
        }
        return missing < 0;
      },
      async take(count, maxWaitMs) {
        const endsAtMs = performance.now() + maxWaitMs;
        const budgets = begin(count);
        for (const [at, budget] of budgets.entries()) {
          if (!(await budget.take(count, endsAtMs - performance.now()))) {
            end(budgets.slice(0, at), count);
            return false;
          }
        }
        return true;
      },
      give(count) {
        end([...own.flatMap(({ key }) => shares.get(key)?.budget ?? []), whole], count);
      },
    };
  };
}
