import { Route, Switch } from 'wouter';
import { NotFoundState } from '../../components/state-views.tsx';
import { SettingsPage } from './settings-page.tsx';

/** Pages below `/{slug}/settings`. */
export default function SettingsSection() {
  return (
    <Switch>
      <Route path="/:slug/settings">
        <SettingsPage />
      </Route>
      <Route>
        <NotFoundState what="This page" />
      </Route>
    </Switch>
  );
}
