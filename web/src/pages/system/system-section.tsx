import { Route, Switch } from 'wouter';
import { NotFoundState } from '../../components/state-views.tsx';
import { SystemPage } from './system-page.tsx';

/** Pages below `/{slug}/system`. */
export default function SystemSection() {
  return (
    <Switch>
      <Route path="/:slug/system">
        <SystemPage />
      </Route>
      <Route>
        <NotFoundState what="This page" />
      </Route>
    </Switch>
  );
}
