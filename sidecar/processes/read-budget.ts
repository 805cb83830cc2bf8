/** How much is read from one report socket in a time: one budget, however many connections there are, and however often they come. */
import { setTimeout as sleep } from 'node:timers/promises';

const bytesPerSecond = 256 * 1024;

export interface ReadBudget {
  /** Resolves once this much may be read, after all that was asked for or charged before. Throws once the budget is closed. */
  spend(bytes: number): Promise<void>;
  /** Whoever spends next waits for this much as well. */
  charge(bytes: number): void;
  /** Nobody waits any longer. */
  close(): void;
}

export function createReadBudget(): ReadBudget {
  const closing = new AbortController();
  /** By then everything is paid. */
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
