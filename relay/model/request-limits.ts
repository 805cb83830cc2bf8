/** How many requests are worked on at a time, and how much memory their bodies hold. */
import { createByteBudget } from '../../lib/limits/byte-budget.ts';
import { createSemaphore } from '../../lib/limits/semaphore.ts';
import type { ModelLimits } from './limits.ts';
import { ModelError } from './model-error.ts';

/** Takes memory for some more bytes of a body. Throws ModelError when others hold it. */
export type Hold = (bytes: number) => void;

export interface RequestLimits {
  /** Does the work, and frees what it held. Throws ModelError when too much is worked on already. */
  admit<Result>(work: (hold: Hold) => Promise<Result>): Promise<Result>;
}

const tooMany = (what: string) =>
  new ModelError('rate_limit_error', `${what}; wait for the answer of another one`, { retryAfter: '1' });

export function createRequestLimits({
  requests,
  heldBytes,
}: Pick<ModelLimits, 'requests' | 'heldBytes'>): RequestLimits {
  const memory = createByteBudget(heldBytes);
  const semaphore = createSemaphore({ permits: requests });
  return {
    async admit(work) {
      const release = semaphore.tryAcquire();
      if (release === null) {
        throw tooMany(`${requests} requests to the model are open already`);
      }
      let held = 0;
      let isOver = false;
      const hold = (bytes: number) => {
        // A body that was given up may still arrive.
        if (isOver || !memory.tryTake(bytes)) {
          throw tooMany('the requests to the model that are open are too large for another one');
        }
        held += bytes;
      };
      try {
        return await work(hold);
      } finally {
        isOver = true;
        release();
        memory.give(held);
      }
    },
  };
}
