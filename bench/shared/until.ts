import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Looks at an even interval, so that what is measured is late by no more than that; false when `isTrue` was
 * not true within the limit. Many that wait at once take a longer interval: looking must not cost what is
 * measured its processor time.
 */
export async function until(
  isTrue: () => boolean,
  { everyMs, limitMs }: { everyMs: number; limitMs: number },
): Promise<boolean> {
  const deadline = performance.now() + limitMs;
  while (!isTrue()) {
    if (performance.now() > deadline) {
      return false;
    }
    await sleep(everyMs);
  }
  return true;
}
