import { useEffect, useState } from 'react';
import { serverNowMs } from '../api/server-time.ts';

/** Within the limit of timers; a deadline further away is checked again then. */
const longestTimerMs = 24 * 3_600_000;

/** Whether a deadline has passed by the platform's clock, even before this page is notified. */
export function useExpired(expiresAt: string): boolean {
  const leftMs = Date.parse(expiresAt) - serverNowMs();
  const [, lookAgain] = useState(0);
  useEffect(() => {
    const timer =
      leftMs > 0
        ? setTimeout(() => lookAgain((count) => count + 1), Math.min(leftMs + 50, longestTimerMs))
        : undefined;
    return () => clearTimeout(timer);
  });
  return leftMs <= 0;
}
