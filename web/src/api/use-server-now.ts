import { useEffect, useState } from 'react';
import { serverNowMs } from './server-time.ts';

/** The time of the platform, in ms since the epoch: each second again while something `goesOn`. */
export function useServerNow(goesOn: boolean): number {
  const [nowMs, setNowMs] = useState(serverNowMs);
  useEffect(() => {
    const timer = goesOn ? setInterval(() => setNowMs(serverNowMs()), 1_000) : undefined;
    return () => clearInterval(timer);
  }, [goesOn]);
  return nowMs;
}
