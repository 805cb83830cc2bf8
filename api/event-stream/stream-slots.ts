/** Bounds the event streams that this process keeps open: each holds a connection and asks the database every few seconds. */
import { createOccupancy } from '../middleware/occupancy.ts';

export interface StreamSlots {
  /** Takes a slot for as long as `response` is open. Throws `rate_limited` naming the limit. */
  hold(
    userId: string,
    response: { destroyed?: boolean; once(event: 'close', listener: () => void): unknown },
  ): void;
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
  return {
    hold(userId, response) {
      // Who asked has left already: no `close` comes any more, and nothing will be sent.
      if (response.destroyed === true) {
        return;
      }
      const leaveAsUser = enterAsUser(userId);
      try {
        response.once('close', enterProcess('all'));
      } catch (error) {
        leaveAsUser();
        throw error;
      }
      response.once('close', leaveAsUser);
    },
  };
}
