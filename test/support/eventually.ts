import { setTimeout as sleep } from 'node:timers/promises';

/** Waits until a check passes; throws what it threw last when it does not within the limit. */
export async function eventually<Result>(
  check: () => Result | Promise<Result>,
  { withinMs = 60_000, everyMs = 50 } = {},
): Promise<Result> {
  const deadline = Date.now() + withinMs;
  while (true) {
    try {
      return await check();
    } catch (error) {
      if (Date.now() > deadline) {
        throw error;
      }
      await sleep(everyMs);
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
  const deadline = Date.now() + limitMs;
  for (;;) {
    const value = await look();
    if (value !== null && value !== undefined) {
      return value;
    }
    if (Date.now() > deadline) {
      throw new Error(`gave up waiting for ${what} after ${limitMs} ms`);
    }
    await sleep(everyMs);
  }
}
