/**
 * Rate limit for reading one report socket: one budget, however many connections there are, and
 * however often they reconnect.
 */
import { setTimeout as sleep } from 'node:timers/promises';

const bytesPerSecond = 256 * 1024;

export interface ReadBudget {
  /**
   * Resolves once this much may be read, after all earlier spending and charges. Throws
   * once the budget is closed.
   */
  spend(bytes: number): Promise<void>;
  /** Delays the next `spend` by this much as well. */
  charge(bytes: number): void;
  /** Releases all waiters. */
  close(): void;
}

export function createReadBudget(): ReadBudget {
  const closing = new AbortController();
  /** When all spending so far is paid off. */
  let paidAtMs = 0;
  const charge = (bytes: number) => {
    paidAtMs = Math.max(paidAtMs, performance.now()) + (bytes / bytesPerSecond) * 1000;
  };
  return {
    charge,
    async spend(bytes) {
      charge(bytes);
      await sleep(Math.max(0, paidAtMs - performance.now()), undefined, { signal: closing.signal });
    },
    close: () => closing.abort(),
  };
}
