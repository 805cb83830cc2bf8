/** The whole UI: what every page stands on, then the page of the address. */
import { MantineProvider, Modal } from '@mantine/core';
import { QueryClientProvider, useQuery, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useEffect, useState, useSyncExternalStore } from 'react';
import { Router } from 'wouter';
import { api, call } from '../api/client.ts';
import { readConnection, reportSomebodyElse, subscribeConnection } from '../api/connection.ts';
import { ApiFailure } from '../api/failure.ts';
import { keys } from '../api/keys.ts';
import { Live } from '../api/stream/live.ts';
import { LiveContext } from '../api/stream/use-live.ts';
import { QueryState } from '../components/query-state.tsx';
import { Toasts } from '../components/toasts.tsx';
import { SignInChoices } from '../pages/sign-in/sign-in-choices.tsx';
import { SignInPage } from '../pages/sign-in/sign-in-page.tsx';
import { ConnectionBanner } from './connection-banner.tsx';
import { styleNonce } from './content-security.ts';
import { ErrorBoundary } from './error-boundary.tsx';
import { queryClient } from './query-client.ts';
import { reloadSignedOut } from './reload-signed-out.ts';
import { Routes } from './routes.tsx';
import { MeProvider, useMe } from './signed-in.tsx';
import { SomebodyElseDialog, useIsOfSomebodyElse } from './somebody-else-dialog.tsx';
import { colorsByTokens, theme } from './theme.ts';

export function App() {
  return (
    <MantineProvider
      theme={theme}
      cssVariablesResolver={colorsByTokens}
      defaultColorScheme="auto"
      getStyleNonce={() => styleNonce}
    >
      <ErrorBoundary>
        <QueryClientProvider client={queryClient}>
          <Router base="/app">
            <ConnectionBanner />
            <Toasts />
            <Entrance />
          </Router>
        </QueryClientProvider>
      </ErrorBoundary>
    </MantineProvider>
  );
}

/**
 * Shows the sign-in, or to a signed-in person the page, which stays when the sign-in ends while it is open.
 */
function Entrance() {
  const query = useQuery({
    queryKey: keys.me,
    queryFn: ({ signal }) => call(api.GET('/api/me', { signal })),
    staleTime: 60_000,
    meta: { whileHidden: true },
  });
  const isOfSomebodyElse = useIsOfSomebodyElse();
  const hasChanged = useHasChanged(query.data?.user.id);
  if (isOfSomebodyElse || hasChanged) {
    return <SomebodyElseDialog />;
  }
  const { data, error } = query;
  if (data === undefined && error instanceof ApiFailure && error.status === 401) {
    return <SignInPage />;
  }
  return (
    <QueryState query={query} what="This page">
      {(me) => (
        <MeProvider me={me}>
          <LiveUpdates>
            <Routes />
          </LiveUpdates>
          <SessionLostDialog />
        </MeProvider>
      )}
    </QueryState>
  );
}

/**
 * Whether somebody else was signed in when the page loaded. A query may find that out before the stream does.
 */
function useHasChanged(userId: string | undefined): boolean {
  const [firstId, setFirstId] = useState(userId);
  if (firstId === undefined && userId !== undefined) {
    setFirstId(userId);
  }
  const hasChanged = firstId !== undefined && userId !== undefined && userId !== firstId;
  useEffect(() => {
    if (hasChanged) {
      reportSomebodyElse();
    }
  }, [hasChanged]);
  return hasChanged;
}

/** Listens to what changes, for all pages below, as long as the same person is signed in. */
function LiveUpdates({ children }: { children: ReactNode }) {
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

/** The sign-in ended while a page was open: one signs in over the page, so that what was typed stays. */
function SessionLostDialog() {
  const { signedOut } = useSyncExternalStore(subscribeConnection, readConnection);
  return (
    <Modal
      opened={signedOut}
      onClose={() => undefined}
      withCloseButton={false}
      closeOnEscape={false}
      closeOnClickOutside={false}
      title="You have been signed out"
    >
      <SignInChoices overPage />
    </Modal>
  );
}
