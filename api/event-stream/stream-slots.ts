/** Limits the event streams that this process keeps open: each holds a connection, memory, and a share of what all of them read every two seconds. */
import { createShares } from '../middleware/occupancy.ts';

export interface StreamSlots {
  /**
   * Takes a slot for as long as `response` is open; the signal aborts when it closes. Throws `rate_limited` naming the limit.
   * Adds one listener only: Koa and Node add seven, and Node warns from the eleventh on.
   */
  hold(
    userId: string,
    response: { destroyed?: boolean; once(event: 'close', listener: () => void): unknown },
  ): AbortSignal;
}

/** When another stream may have ended; a guess. */
const retryAfterSeconds = 5;

export function createStreamSlots(limits: {
  LIMIT_EVENT_STREAMS_PER_USER: number;
  LIMIT_EVENT_STREAMS_PER_PROCESS: number;
}): StreamSlots {
  const enter = createShares({
    name: 'open event streams',
    whole: limits.LIMIT_EVENT_STREAMS_PER_PROCESS,
    shares: { user: limits.LIMIT_EVENT_STREAMS_PER_USER },
    retryAfterSeconds,
  });
  return {
    hold(userId, response) {
      // The client has already disconnected: there will be no `close` event, and nothing will be sent.
      if (response.destroyed === true) {
        return AbortSignal.abort();
      }
      const leave = enter({ user: userId });
      const ended = new AbortController();
      response.once('close', () => {
        leave();
        ended.abort();
      });
      return ended.signal;
    },
  };
}
