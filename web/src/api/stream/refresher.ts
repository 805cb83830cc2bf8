/**
 * Refetches what an announcement says has changed: at most once a second for a visible page. A
 * hidden page only notes it, and is refreshed when it becomes visible; what its title shows is
 * refetched at longer intervals.
 */
import type { QueryClient, QueryKey } from '@tanstack/react-query';

const visibleEveryMs = 1_000;
const hiddenEveryMs = 15_000;

export class Refresher {
  private readonly queries: QueryClient;
  private readonly lastAt = new Map<string, number>();
  private readonly timers = new Map<string, ReturnType<typeof setTimeout>>();

  constructor(queries: QueryClient) {
    this.queries = queries;
  }

  /** What begins with this key changed. */
  refresh(queryKey: QueryKey): void {
    const name = JSON.stringify(queryKey);
    if (this.timers.has(name)) {
      return;
    }
    const everyMs = document.visibilityState === 'hidden' ? hiddenEveryMs : visibleEveryMs;
    const waitMs = Math.max(0, (this.lastAt.get(name) ?? 0) + everyMs - Date.now());
    this.timers.set(
      name,
      setTimeout(() => {
        this.timers.delete(name);
        this.lastAt.set(name, Date.now());
        this.readAgain(queryKey);
      }, waitMs),
    );
  }

  stop(): void {
    this.timers.forEach(clearTimeout);
  }

  private readAgain(queryKey: QueryKey): void {
    const isHidden = document.visibilityState === 'hidden';
    void this.queries.invalidateQueries({ queryKey, refetchType: isHidden ? 'none' : 'active' });
    if (isHidden) {
      void this.queries.refetchQueries({
        queryKey,
        type: 'active',
        predicate: ({ meta }) => meta?.['whileHidden'] === true,
      });
    }
  }
}
