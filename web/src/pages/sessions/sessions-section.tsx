import { lazy, type ReactNode, Suspense } from 'react';
import { Route, Switch } from 'wouter';
import { loadPage } from '../../app/load-page.ts';
import { LoadingState, NotFoundState } from '../../components/state-views.tsx';
import { SessionsPage } from './sessions-page.tsx';

const NewSessionPage = lazy(() => loadPage(() => import('./new-session-page.tsx')));
const SessionPage = lazy(() => loadPage(() => import('./session-page.tsx')));

/** Pages below `/{slug}/sessions`. */
export default function SessionsSection() {
  return (
    <Switch>
      <Route path="/:slug/sessions">
        <SessionsPage />
      </Route>
      <Route path="/:slug/sessions/new">
        <Loaded key="new">
          <NewSessionPage />
        </Loaded>
      </Route>
      <Route path="/:slug/sessions/:id">
        {({ id }) => (
          <Loaded key="one">
            <SessionPage id={id} />
          </Loaded>
        )}
      </Route>
      <Route>
        <NotFoundState what="This page" />
      </Route>
    </Switch>
  );
}

/** With a key of its own: else the form would be kept, with the key of what it sent, while a page loads. */
const Loaded = ({ children }: { children: ReactNode }) => (
  <Suspense fallback={<LoadingState />}>{children}</Suspense>
);
