/** Bounds the event streams that this process keeps open: each holds a connection and asks the database every few seconds. */
import { ApiError } from '../errors.ts';

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
  const openByUser = new Map<string, number>();
  let open = 0;
  const refuse = (limit: number, what: string) => {
    throw new ApiError('rate_limited', `The limit is ${limit} ${what}`, { retryAfterSeconds });
  };
  const release = (userId: string) => {
    open -= 1;
    const left = (openByUser.get(userId) ?? 1) - 1;
    left > 0 ? openByUser.set(userId, left) : openByUser.delete(userId);
  };
  return {
    hold(userId, response) {
      // Who asked has left already: no `close` comes any more, and nothing will be sent.
      if (response.destroyed === true) {
        return;
      }
      const own = openByUser.get(userId) ?? 0;
      if (own >= limits.LIMIT_EVENT_STREAMS_PER_USER) {
        refuse(limits.LIMIT_EVENT_STREAMS_PER_USER, 'open event streams per user');
      }
      if (open >= limits.LIMIT_EVENT_STREAMS_PER_PROCESS) {
        refuse(limits.LIMIT_EVENT_STREAMS_PER_PROCESS, 'open event streams of all users');
      }
      open += 1;
      openByUser.set(userId, own + 1);
      response.once('close', () => release(userId));
    },
  };
}
