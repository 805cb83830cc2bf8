import { setTimeout as sleep } from 'node:timers/promises';
import { nextLookMs } from '../../lib/timing/next-look.ts';

/** What is waited for needs the processor too. */
const pauseMs = (leastMs: number, startedAtMs: number) =>
  nextLookMs(Date.now() - startedAtMs, { leastMs, mostMs: 1000 });

/** Waits until a check passes; throws what it threw last when it does not within the limit. */
export async function eventually<Result>(
  check: () => Result | Promise<Result>,
  { withinMs = 60_000, everyMs = 50 } = {},
): Promise<Result> {
  const startedAtMs = Date.now();
  while (true) {
    try {
      return await check();
    } catch (error) {
      if (Date.now() > startedAtMs + withinMs) {
        throw error;
      }
      await sleep(pauseMs(everyMs, startedAtMs));
    }
  }
}

/** Waits until `look` finds something. Rethrows what `look` throws at once, and throws `what` after `limitMs` without a result. */
export async function untilFound<Value>(
  what: string,
  look: () => Promise<Value | null | undefined>,
  limitMs = 60_000,
  everyMs = 100,
): Promise<Value> {
  const startedAtMs = Date.now();
  for (;;) {
    const value = await look();
    if (value !== null && value !== undefined) {
      return value;
    }
    if (Date.now() > startedAtMs + limitMs) {
      throw new Error(`gave up waiting for ${what} after ${limitMs} ms`);
    }
    await sleep(pauseMs(everyMs, startedAtMs));
  }
}
