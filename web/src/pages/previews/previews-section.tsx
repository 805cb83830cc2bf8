import { Route, Switch } from 'wouter';
import { NotFoundState } from '../../components/state-views.tsx';
import { PreviewPage } from './preview-page.tsx';
import { PreviewsPage } from './previews-page.tsx';

/** Pages below `/{slug}/previews`. */
export default function PreviewsSection() {
  return (
    <Switch>
      <Route path="/:slug/previews">
        <PreviewsPage />
      </Route>
      <Route path="/:slug/previews/:id">{({ id }) => <PreviewPage key={id} id={id} />}</Route>
      <Route>
        <NotFoundState what="This page" />
      </Route>
    </Switch>
  );
}
