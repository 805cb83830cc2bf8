/**
 * Limits the event streams that this process keeps open: each holds a connection, memory, and a share of what
 * all of them read every two seconds.
 */
import { createShares, type Leave } from '../middleware/concurrency-limit.ts';

export interface StreamOwner {
  userId: string;
  /** Whose events it may bring; of these the first with a free place in its share is charged with it. */
  workspaceIds: readonly string[];
}

export interface StreamLimit {
  /** Takes a place and returns how to give it back. Throws `rate_limited`, naming the limit. */
  enter(owner: StreamOwner): Leave;
}

/** When another stream may have ended; a guess. */
const retryAfterSeconds = 5;

export function createStreamLimit(limits: {
  LIMIT_EVENT_STREAMS_PER_USER: number;
  LIMIT_EVENT_STREAMS_PER_PROCESS: number;
}): StreamLimit {
  const whole = limits.LIMIT_EVENT_STREAMS_PER_PROCESS;
  const enter = createShares({
    name: 'open event streams',
    whole,
    shares: { user: limits.LIMIT_EVENT_STREAMS_PER_USER, workspace: Math.ceil(whole / 2) },
    retryAfterSeconds,
  });
  return {
    enter({ userId, workspaceIds }) {
      let refused: unknown;
      for (const workspace of workspaceIds.length === 0 ? [null] : workspaceIds) {
        try {
          return enter({ user: userId, workspace });
        } catch (error) {
          refused = error;
        }
      }
      throw refused;
    },
  };
}
