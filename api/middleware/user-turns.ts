/** Limits the concurrent requests of one user, or of another holder, in this process, so that none takes all connections to the database. */
import { ApiError } from '../errors.ts';
import type { Leave } from './occupancy.ts';

export interface UserTurns {
  /**
   * Resolves with the release function once it is the request's turn, in the order of arrival. Rejects with `rate_limited`, naming the
   * limit, when too many are queued, and when the client disconnects before its turn.
   */
  enter(userId: string, response: Response): Promise<Turn>;
}

export interface Turn {
  leave: Leave;
  /** Whether the request was queued: what was checked before may have changed. */
  waited: boolean;
}

interface Response {
  destroyed?: boolean;
  once(event: 'close', listener: () => void): unknown;
  off(event: 'close', listener: () => void): unknown;
}

interface Requests {
  working: number;
  /** Callbacks that start the queued requests, oldest first. */
  waiting: Set<() => void>;
}

export interface TurnLimits {
  atATime: number;
  waiting: number;
  /** What is limited, as a refusal names it. */
  name?: string;
}

export function createUserTurns({ name = 'requests at a time per user', ...limits }: TurnLimits): UserTurns {
  const users = new Map<string, Requests>();

  const leave = (userId: string, requests: Requests): void => {
    const [next] = requests.waiting;
    if (next !== undefined) {
      next();
      return;
    }
    requests.working -= 1;
    if (requests.working === 0) {
      users.delete(userId);
    }
  };

  return {
    async enter(userId, response) {
      const requests = users.get(userId) ?? { working: 0, waiting: new Set() };
      users.set(userId, requests);
      const waited = requests.working >= limits.atATime;
      if (!waited) {
        requests.working += 1;
      } else if (requests.waiting.size < limits.waiting) {
        await turn(requests.waiting, response);
      } else {
        const message = `The limit is ${limits.atATime} ${name}, and ${limits.waiting} that wait`;
        throw new ApiError('rate_limited', message, { retryAfterSeconds: 1 });
      }
      return { leave: () => leave(userId, requests), waited };
    },
  };
}

/** A client that disconnects leaves the queue: nobody would read the answer. */
function turn(waiting: Requests['waiting'], response: Response): Promise<void> {
  return new Promise((resolve, reject) => {
    const hasLeft = () => {
      waiting.delete(begin);
      reject(new ApiError('rate_limited', 'The caller left before its turn', { retryAfterSeconds: 1 }));
    };
    const begin = () => {
      waiting.delete(begin);
      response.off('close', hasLeft);
      resolve();
    };
    if (response.destroyed === true) {
      hasLeft();
      return;
    }
    waiting.add(begin);
    response.once('close', hasLeft);
  });
}
