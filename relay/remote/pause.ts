import { setTimeout as sleep } from 'node:timers/promises';

/** Waits; returns early when the signal is aborted. */
export async function pause(delayMs: number, signal: AbortSignal): Promise<void> {
  await sleep(delayMs, undefined, { signal }).catch(() => undefined);
}
