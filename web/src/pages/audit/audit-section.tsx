import { Route, Switch } from 'wouter';
import { NotFoundState } from '../../components/state-views.tsx';
import { AuditPage } from './audit-page.tsx';

/** Pages below `/{slug}/audit`. */
export default function AuditSection() {
  return (
    <Switch>
      <Route path="/:slug/audit">
        <AuditPage />
      </Route>
      <Route>
        <NotFoundState what="This page" />
      </Route>
    </Switch>
  );
}
