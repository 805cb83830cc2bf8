/** The whole UI: what every page stands on, then the sign-in or, loaded once it is needed, the page. */
import { MantineProvider } from '@mantine/core';
import { QueryClientProvider, useQuery } from '@tanstack/react-query';
import { lazy, Suspense, useEffect, useState, useSyncExternalStore } from 'react';
import { Router } from 'wouter';
import { api, call } from '../api/client.ts';
import { readConnection, reportSomebodyElse, subscribeConnection } from '../api/connection.ts';
import { ApiFailure, whyEnded } from '../api/failure.ts';
import { keys } from '../api/keys.ts';
import { QueryState } from '../components/query-state.tsx';
import { LoadingState } from '../components/state-views.tsx';
import { Toasts } from '../components/toasts.tsx';
import { SignInPage } from '../pages/sign-in/sign-in-page.tsx';
import { ConnectionBanner } from './connection-banner.tsx';
import { styleNonce } from './content-security.ts';
import { ErrorBoundary } from './error-boundary.tsx';
import { loadPage } from './load-page.ts';
import { queryClient } from './query-client.ts';
import { colorsByTokens, theme } from './theme.ts';

const SignedInApp = lazy(() => loadPage(() => import('./signed-in-app.tsx')));
const SomebodyElseDialog = lazy(() => loadPage(() => import('./somebody-else-dialog.tsx')));

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
            <Suspense fallback={<LoadingState />}>
              <Entrance />
            </Suspense>
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
  const { isOfSomebodyElse } = useSyncExternalStore(subscribeConnection, readConnection);
  const hasChanged = useHasChanged(query.data?.user.id);
  const isClosed = isOfSomebodyElse || hasChanged;
  useEffect(() => (isClosed ? queryClient.clear() : undefined), [isClosed]);
  if (isClosed) {
    // Of its own, so that the page is gone at once, also while the dialog is still loaded.
    return (
      <Suspense fallback={<LoadingState />}>
        <SomebodyElseDialog />
      </Suspense>
    );
  }
  const { data, error } = query;
  if (data === undefined && error instanceof ApiFailure && error.status === 401) {
    return <SignInPage why={whyEnded(error)} />;
  }
  return (
    <QueryState query={query} what="This page">
      {(me) => <SignedInApp me={me} />}
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
