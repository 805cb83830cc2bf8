/** The whole UI: what every page stands on, then the page of the address. */
import { MantineProvider } from '@mantine/core';
import { QueryClientProvider, useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { Router } from 'wouter';
import { api, call } from '../api/client.ts';
import { reportSomebodyElse } from '../api/connection.ts';
import { ApiFailure } from '../api/failure.ts';
import { keys } from '../api/keys.ts';
import { QueryState } from '../components/query-state.tsx';
import { SignInPage } from '../pages/sign-in/sign-in-page.tsx';
import { ConnectionBanner } from './connection-banner.tsx';
import { styleNonce } from './content-security.ts';
import { ErrorBoundary } from './error-boundary.tsx';
import { LiveUpdates } from './live-updates.tsx';
import { queryClient } from './query-client.ts';
import { Routes } from './routes.tsx';
import { SessionLostDialog } from './session-lost-dialog.tsx';
import { MeProvider } from './signed-in.tsx';
import { SomebodyElseDialog, useIsOfSomebodyElse } from './somebody-else-dialog.tsx';
import { readableColors, theme } from './theme.ts';

export function App() {
  return (
    <MantineProvider
      theme={theme}
      cssVariablesResolver={readableColors}
      defaultColorScheme="auto"
      getStyleNonce={() => styleNonce}
    >
      <ErrorBoundary>
        <QueryClientProvider client={queryClient}>
          <Router base="/app">
            <ConnectionBanner />
            <Entrance />
          </Router>
        </QueryClientProvider>
      </ErrorBoundary>
    </MantineProvider>
  );
}

/** Shows the sign-in, or to a signed-in person the page, which stays when the sign-in ends while it is open. */
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

/** Whether somebody else was signed in when the page loaded. A query may find that out before the stream does. */
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
