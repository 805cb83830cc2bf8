/** Listens to what changes, for all pages below, as long as the same person is signed in. */
import { useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useEffect, useState } from 'react';
import { Live } from '../api/stream/live.ts';
import { LiveContext } from '../api/stream/use-live.ts';
import { reloadSignedOut } from './reload-signed-out.ts';
import { useMe } from './signed-in.tsx';

export function LiveUpdates({ children }: { children: ReactNode }) {
  const { user } = useMe();
  const queries = useQueryClient();
  const [live, setLive] = useState<Live | null>(null);
  useEffect(() => {
    const started = new Live(user.id, queries, reloadSignedOut);
    started.start();
    setLive(started);
    return () => started.stop();
  }, [user.id, queries]);
  return <LiveContext.Provider value={live}>{children}</LiveContext.Provider>;
}
