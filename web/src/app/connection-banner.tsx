/**
 * Says when the platform does not answer, is slow or was upgraded; polls it, and refreshes
 * the page when it is back.
 */
import { Button } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useEffect, useRef, useSyncExternalStore } from 'react';
import { watchedFetch } from '../api/client.ts';
import { readConnection, subscribeConnection } from '../api/connection.ts';
import { checkOutdated } from '../api/upgrade.ts';
import type { Tone } from '../text/tone.ts';

const lookEveryMs = 2_000;

export function ConnectionBanner() {
  const { connection, isOutdated } = useSyncExternalStore(subscribeConnection, readConnection);
  useRecovery(connection === 'unreachable');
  // Always rendered: screen readers announce what appears in it.
  return (
    <div role="status" className="connection-banner">
      {connection === 'unreachable' ? (
        <Notice tone="fail">
          <span>The platform is unreachable. Reconnecting… Nothing you typed is lost.</span>
        </Notice>
      ) : isOutdated ? (
        <Notice tone="run">
          <span>A new version is available. Reload the page to use it; what you typed is kept.</span>
          <Button size="compact-sm" variant="default" onClick={() => window.location.reload()}>
            Reload
          </Button>
        </Notice>
      ) : connection === 'slow' ? (
        <Notice tone="wait">
          <span>The platform is responding slowly.</span>
        </Notice>
      ) : null}
    </div>
  );
}

function Notice({ tone, children }: { tone: Tone; children: ReactNode }) {
  return <div className={`connection-notice tone-${tone}`}>{children}</div>;
}

/** Polls until any request gets an answer; then everything is read again. */
function useRecovery(isLost: boolean): void {
  const queries = useQueryClient();
  const wasLost = useRef(false);
  useEffect(() => {
    if (wasLost.current && !isLost) {
      void queries.invalidateQueries();
      void checkOutdated().catch(() => undefined);
    }
    wasLost.current = isLost;
    if (!isLost) {
      return;
    }
    const look = () => void watchedFetch('/api/health').catch(() => undefined);
    const timer = setInterval(look, lookEveryMs);
    window.addEventListener('online', look);
    return () => {
      clearInterval(timer);
      window.removeEventListener('online', look);
    };
  }, [isLost, queries]);
}
