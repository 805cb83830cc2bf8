import { lazy, Suspense } from 'react';
import { Route, Switch } from 'wouter';
import { loadPage } from '../../app/load-page.ts';
import { LoadingState, NotFoundState } from '../../components/state-views.tsx';
import { SessionsPage } from './sessions-page.tsx';

const NewSessionPage = lazy(() => loadPage(() => import('./new-session-page.tsx')));
const SessionPage = lazy(() => loadPage(() => import('./session-page.tsx')));

/** Pages below `/{slug}/sessions`. */
export default function SessionsSection() {
  return (
    <Suspense fallback={<LoadingState />}>
      <Switch>
        <Route path="/:slug/sessions">
          <SessionsPage />
        </Route>
        <Route path="/:slug/sessions/new">
          <NewSessionPage />
        </Route>
        <Route path="/:slug/sessions/:id">{({ id }) => <SessionPage id={id} />}</Route>
        <Route>
          <NotFoundState what="This page" />
        </Route>
      </Switch>
    </Suspense>
  );
}
