import { Route, Switch } from 'wouter';
import { NotFoundState } from '../../components/state-views.tsx';
import { MembersPage } from './members-page.tsx';

/** Pages below `/{slug}/members`. */
export default function MembersSection() {
  return (
    <Switch>
      <Route path="/:slug/members">
        <MembersPage />
      </Route>
      <Route>
        <NotFoundState what="This page" />
      </Route>
    </Switch>
  );
}
