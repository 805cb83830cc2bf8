import { Route, Switch } from 'wouter';
import { NotFoundState } from '../../components/state-views.tsx';
import { NewSessionPage } from './new-session-page.tsx';
import { SessionPage } from './session-page.tsx';
import { SessionsPage } from './sessions-page.tsx';

/** Pages below `/{slug}/sessions`. */
export default function SessionsSection() {
  return (
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
  );
}
