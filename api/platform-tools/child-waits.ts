/** Calls that wait until another session has something new; they hold no connection to the database meanwhile. */
import type { SessionEventFeed } from '../../store/session-events/feed.ts';

export interface ChildWait {
  /** Resolves to true when the watched session may have something new, and to false when it is no longer waited for. */
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
  const running = new Map<string, number>();
  const count = (sessionId: string) => running.get(sessionId) ?? 0;
  return {
    begin({ sessionId, watchedId, seconds }) {
      const isCrowded = seconds > 0 && count(sessionId) >= atATime;
      if (seconds <= 0 || isCrowded) {
        return { untilWoken: async () => false, isCrowded, end: () => undefined };
      }
      running.set(sessionId, count(sessionId) + 1);
      const wait = startWait(feed, watchedId, seconds * 1000);
      return {
        untilWoken: wait.untilWoken,
        isCrowded,
        end() {
          wait.end();
          const left = count(sessionId) - 1;
          left > 0 ? running.set(sessionId, left) : running.delete(sessionId);
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
