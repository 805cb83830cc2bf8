import { Route, Switch } from 'wouter';
import { NotFoundState } from '../../components/state-views.tsx';
import { GrantPage } from './grant-page.tsx';
import { GrantsPage } from './grants-page.tsx';
import { NewGrantPage } from './new-grant-page.tsx';

/** Pages below `/{slug}/grants`. */
export default function GrantsSection() {
  return (
    <Switch>
      <Route path="/:slug/grants">
        <GrantsPage />
      </Route>
      <Route path="/:slug/grants/new">
        <NewGrantPage />
      </Route>
      <Route path="/:slug/grants/:id">{({ id }) => <GrantPage key={id} id={id} />}</Route>
      <Route>
        <NotFoundState what="This page" />
      </Route>
    </Switch>
  );
}
