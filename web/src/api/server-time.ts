/**
 * What time it is for the platform: the clock of this machine may be wrong, and deadlines are the platform's.
 */

let aheadMs = 0;

/** Takes note of an answer's `Date`, which has whole seconds. */
export function noteServerTime(date: string | null): void {
  const atMs = Date.parse(date ?? '');
  if (!Number.isNaN(atMs)) {
    aheadMs = atMs + 500 - Date.now();
  }
}

/** In ms since the epoch; right to about a second once anything was answered. */
export const serverNowMs = (): number => Date.now() + aheadMs;
