import { Route, Switch } from 'wouter';
import { NotFoundState } from '../../components/state-views.tsx';
import { ApprovalsPage } from './approvals-page.tsx';

/**
 * Pages below `/{slug}/approvals`. One page for both addresses: the list stays where it is
 * while a request is open.
 */
export default function ApprovalsSection() {
  return (
    <Switch>
      <Route path="/:slug/approvals/:id?">{({ id }) => <ApprovalsPage requestId={id ?? null} />}</Route>
      <Route>
        <NotFoundState what="This page" />
      </Route>
    </Switch>
  );
}
