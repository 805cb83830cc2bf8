/**
 * Calls that wait until another session has something new; they hold no connection to the database meanwhile.
 */
import { createKeyedSemaphore } from '../../lib/limits/semaphore.ts';
import type { SessionEventFeed } from '../../store/session-events/feed.ts';

export interface ChildWait {
  /**
   * Resolves to true when the watched session may have something new, and to false when it
   * is no longer waited for.
   */
  untilWoken(): Promise<boolean>;
  /** It was to wait, and does not: as many calls of its session wait as may. */
  isCrowded: boolean;
  end(): void;
}

export interface ChildWaits {
  /** `sessionId`: whose call waits. One beyond the limit of its session does not wait at all. */
  begin(wait: { sessionId: string; watchedId: string; seconds: number }): ChildWait;
}

/** Of one session in this process: each takes a place among the requests of its sidecar. */
const atATime = 2;

export function createChildWaits(feed: Pick<SessionEventFeed, 'subscribe'>): ChildWaits {
  const semaphore = createKeyedSemaphore();
  return {
    begin({ sessionId, watchedId, seconds }) {
      const release = seconds > 0 ? semaphore.tryAcquire({ key: sessionId, permits: atATime }) : null;
      if (release === null) {
        return { untilWoken: async () => false, isCrowded: seconds > 0, end: () => undefined };
      }
      const wait = startWait(feed, watchedId, seconds * 1000);
      return {
        untilWoken: wait.untilWoken,
        isCrowded: false,
        end() {
          wait.end();
          release();
        },
      };
    },
  };
}

function startWait(
  feed: Pick<SessionEventFeed, 'subscribe'>,
  watchedId: string,
  limitMs: number,
): Omit<ChildWait, 'isCrowded'> {
  // What is announced between two looks is not lost.
  let isNew = false;
  let isOver = false;
  let wake = () => {};
  const unsubscribe = feed.subscribe(watchedId, () => {
    isNew = true;
    wake();
  });
  const timer = setTimeout(() => {
    isOver = true;
    wake();
  }, limitMs);
  return {
    async untilWoken() {
      if (!isNew && !isOver) {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
      const woken = isNew;
      isNew = false;
      return woken;
    },
    end() {
      clearTimeout(timer);
      unsubscribe();
    },
  };
}
