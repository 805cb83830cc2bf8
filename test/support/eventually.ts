import { setTimeout as sleep } from 'node:timers/promises';
import { nextLookMs } from '../../lib/timing/next-look.ts';

/** Multiplies the limit of every wait, for a machine that is many times slower. */
const slowness = Number(process.env['TEST_SLOWNESS'] ?? 1);

/** How long a test waits for what comes: no test proves that something is quick by waiting for less. */
export const waitLimitMs = 120_000 * slowness;

/** What is waited for needs the processor too. */
const pauseMs = (leastMs: number, startedAtMs: number) =>
  nextLookMs(Date.now() - startedAtMs, { leastMs, mostMs: 1000 });

/**
 * Waits until a check passes; throws what it threw last when it does not within the limit. `withinMs`
 * is for what takes minutes.
 */
export async function eventually<Result>(
  check: () => Result | Promise<Result>,
  { withinMs = 0, everyMs = 50 } = {},
): Promise<Result> {
  const startedAtMs = Date.now();
  while (true) {
    try {
      return await check();
    } catch (error) {
      if (Date.now() > startedAtMs + limitOf(withinMs)) {
        throw error;
      }
      await sleep(pauseMs(everyMs, startedAtMs));
    }
  }
}

/**
 * Waits until `look` finds something. Rethrows what `look` throws at once, and throws `what` when nothing
 * is found within the limit.
 */
export async function untilFound<Value>(
  what: string,
  look: () => Promise<Value | null | undefined>,
  withinMs = 0,
  everyMs = 100,
): Promise<Value> {
  const startedAtMs = Date.now();
  for (;;) {
    const value = await look();
    if (value !== null && value !== undefined) {
      return value;
    }
    if (Date.now() > startedAtMs + limitOf(withinMs)) {
      throw new Error(`gave up waiting for ${what} after ${limitOf(withinMs)} ms`);
    }
    await sleep(pauseMs(everyMs, startedAtMs));
  }
}

const limitOf = (withinMs: number) => Math.max(waitLimitMs, withinMs * slowness);
