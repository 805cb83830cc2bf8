import { Route, Switch } from 'wouter';
import { NotFoundState } from '../../components/state-views.tsx';
import { SecretPage } from './secret-page.tsx';
import { SecretsPage } from './secrets-page.tsx';

/** Pages below `/{slug}/secrets`. */
export default function SecretsSection() {
  return (
    <Switch>
      <Route path="/:slug/secrets">
        <SecretsPage />
      </Route>
      <Route path="/:slug/secrets/:name">{({ name }) => <SecretPage key={name} name={name} />}</Route>
      <Route>
        <NotFoundState what="This page" />
      </Route>
    </Switch>
  );
}
