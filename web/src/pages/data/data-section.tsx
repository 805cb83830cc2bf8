import { Route, Switch } from 'wouter';
import { NotFoundState } from '../../components/state-views.tsx';
import { DataPage } from './data-page.tsx';

/** Pages below `/{slug}/data`. */
export default function DataSection() {
  return (
    <Switch>
      <Route path="/:slug/data">
        <DataPage />
      </Route>
      <Route>
        <NotFoundState what="This page" />
      </Route>
    </Switch>
  );
}
