/**
 * Limits the concurrent requests of one user, or of another holder, in this process, so that none takes all
 * connections to the database.
 */
import { createKeyedSemaphore } from '../../lib/limits/semaphore.ts';
import { ApiError } from '../errors.ts';
import type { Leave } from './concurrency-limit.ts';

export interface ConcurrencyQueue {
  /**
   * Resolves once the request may begin, in the order of arrival. Rejects with `rate_limited`, naming the
   * limit, when too many are queued, and when the client disconnects before its turn.
   */
  enter(userId: string, response: Response): Promise<Place>;
}

export interface Place {
  leave: Leave;
  /** Whether the request was queued: what was checked before may have changed. */
  waited: boolean;
}

interface Response {
  destroyed?: boolean;
  once(event: 'close', listener: () => void): unknown;
  off(event: 'close', listener: () => void): unknown;
}

export interface QueueLimits {
  atATime: number;
  waiting: number;
  /** What is limited, as a refusal names it. */
  name?: string;
}

export function createConcurrencyQueue({
  atATime,
  waiting,
  name = 'requests at a time per user',
}: QueueLimits): ConcurrencyQueue {
  const semaphore = createKeyedSemaphore({ maxWaiting: waiting });
  return {
    async enter(userId, response) {
      const owner = { key: userId, permits: atATime };
      const free = semaphore.tryAcquire(owner);
      if (free !== null) {
        return { leave: free, waited: false };
      }
      const release = await whileConnected(response, (signal) => semaphore.acquire(owner, { signal }));
      if (release === null) {
        const message = `The limit is ${atATime} ${name}, and ${waiting} that wait`;
        throw new ApiError('rate_limited', message, { retryAfterSeconds: 1 });
      }
      return { leave: release, waited: true };
    },
  };
}

/** A client that disconnects leaves the queue: nobody would read the answer. */
async function whileConnected<Result>(
  response: Response,
  wait: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const left = new AbortController();
  const leave = () =>
    left.abort(new ApiError('rate_limited', 'The caller left before its turn', { retryAfterSeconds: 1 }));
  if (response.destroyed === true) {
    leave();
  }
  response.once('close', leave);
  try {
    return await wait(left.signal);
  } finally {
    response.off('close', leave);
  }
}
