/** Says when the platform does not answer or is slow, looks for it, and brings the page up to date when it is back. */
import { Alert } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useSyncExternalStore } from 'react';
import { watchedFetch } from '../api/client.ts';
import { readConnection, subscribeConnection } from '../api/connection.ts';

const lookEveryMs = 2_000;

export function ConnectionBanner() {
  const { connection } = useSyncExternalStore(subscribeConnection, readConnection);
  const queries = useQueryClient();
  const lost = connection === 'unreachable';
  useEffect(() => {
    if (!lost) {
      return;
    }
    const timer = setInterval(() => {
      watchedFetch('/api/health').then(
        () => queries.invalidateQueries(),
        () => undefined,
      );
    }, lookEveryMs);
    return () => clearInterval(timer);
  }, [lost, queries]);

  // The place is always there: screen readers announce what appears in it.
  return (
    <div role="status" className="connection-banner">
      {connection === 'ok' ? null : (
        <Alert color={lost ? 'red' : 'yellow'} radius={0} py="xs" variant="filled" autoContrast>
          {lost
            ? 'The platform does not answer. Nothing that you typed is lost; this page tries again by itself.'
            : 'The platform answers slowly.'}
        </Alert>
      )}
    </div>
  );
}
