import { useEffect, useState } from 'react';
import { absoluteTime, relativeTime } from '../text/time-text.ts';

const renewEveryMs = 30_000;

/** "3 minutes ago", with the exact time and its zone on hover; kept current while it is on the page. */
export function RelativeTime({ at }: { at: string }) {
  const [nowMs, setNowMs] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => setNowMs(Date.now()), renewEveryMs);
    return () => clearInterval(timer);
  }, []);
  return (
    <time dateTime={at} title={absoluteTime(at)}>
      {relativeTime(at, Math.max(nowMs, Date.now()))}
    </time>
  );
}
