/** Repeats the parts of the sweep, each at its own pace. */
import { setMaxListeners } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { abandonAfter } from '../lib/timing/time-limit.ts';

/** Work by its name; `run` counts from 0, and `stopping` is aborted when the sweep stops. */
export type SweepWork = Readonly<Record<string, (run: number, stopping: AbortSignal) => Promise<unknown>>>;

/**
 * What is done is idempotent, and goes on with the next worker; so the end of this one does not
 * wait for all that is left.
 */
const defaultStopLimitMs = 5000;

export interface SweepingOptions {
  /** From the end of a part to its next beginning. */
  intervalMs: number;
  stopLimitMs?: number;
  log: Pick<Logger, 'warn'>;
}

/**
 * Runs each part now and then again after each interval, whatever the others do: one with much to do must not
 * delay the one that makes up for lost hints. A part that fails is logged; its next run tries again. Returns
 * a function that waits for what is being done, for some seconds at most.
 */
export function keepSweeping(
  parts: SweepWork,
  { intervalMs, stopLimitMs = defaultStopLimitMs, log }: SweepingOptions,
): () => Promise<void> {
  const stopping = new AbortController();
  const { signal } = stopping;
  // Each part waits with it; by default Node takes more than ten for a leak.
  setMaxListeners(Object.keys(parts).length, signal);
  const repeat = async (part: string, work: SweepWork[string]): Promise<void> => {
    for (let run = 0; !signal.aborted; run += 1) {
      await work(run, signal).catch((err: unknown) => log.warn({ part, err }, 'a part of the sweep failed'));
      await sleep(intervalMs, undefined, { signal }).catch(() => {});
    }
  };
  const running = Promise.all(Object.entries(parts).map(([part, work]) => repeat(part, work)));
  return async () => {
    stopping.abort();
    await abandonAfter(stopLimitMs, running, () => {});
  };
}
