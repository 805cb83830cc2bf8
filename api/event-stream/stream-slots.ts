/** Bounds the event streams that this process keeps open: each holds a connection and asks the database every few seconds. */
import { createOccupancy, type Leave } from '../middleware/occupancy.ts';

export interface StreamSlots {
  /**
   * Takes a slot for as long as `response` is open; the signal aborts when it is not any more. Throws `rate_limited` naming the limit.
   * A response has one listener for all of it: those of Koa and Node are seven already, and from the eleventh on Node warns.
   */
  hold(
    userId: string,
    response: { destroyed?: boolean; once(event: 'close', listener: () => void): unknown },
  ): AbortSignal;
}

/** When somebody else's stream may have ended; a guess. */
const retryAfterSeconds = 5;

export function createStreamSlots(limits: {
  LIMIT_EVENT_STREAMS_PER_USER: number;
  LIMIT_EVENT_STREAMS_PER_PROCESS: number;
}): StreamSlots {
  const enterAsUser = createOccupancy({
    name: 'open event streams per user',
    limit: limits.LIMIT_EVENT_STREAMS_PER_USER,
    retryAfterSeconds,
  });
  const enterProcess = createOccupancy({
    name: 'open event streams of all users',
    limit: limits.LIMIT_EVENT_STREAMS_PER_PROCESS,
    retryAfterSeconds,
  });
  const enterBoth = (userId: string): Leave => {
    const leaveAsUser = enterAsUser(userId);
    try {
      const leaveProcess = enterProcess('all');
      return () => {
        leaveAsUser();
        leaveProcess();
      };
    } catch (error) {
      leaveAsUser();
      throw error;
    }
  };
  return {
    hold(userId, response) {
      // Who asked has left already: no `close` comes any more, and nothing will be sent.
      if (response.destroyed === true) {
        return AbortSignal.abort();
      }
      const leave = enterBoth(userId);
      const ended = new AbortController();
      response.once('close', () => {
        leave();
        ended.abort();
      });
      return ended.signal;
    },
  };
}
