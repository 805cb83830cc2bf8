import { lazy, Suspense } from 'react';
import { Route, Switch } from 'wouter';
import { loadPage } from '../../app/load-page.ts';
import { useWorkspace } from '../../app/signed-in.tsx';
import { LoadingState, NoPermissionState, NotFoundState } from '../../components/state-views.tsx';
import { CatalogPage } from './catalog-page.tsx';

/** Loaded when they are opened: few need them, and they bring forms, the formats of an import and a diff. */
const EntryPage = lazy(() => loadPage(() => import('./entry-page.tsx')));
const RegisterPage = lazy(() => loadPage(() => import('./register-page.tsx')));
const GalleryPage = lazy(() => loadPage(() => import('./gallery-page.tsx')));
const EditEntryPage = lazy(() => loadPage(() => import('./edit-entry-page.tsx')));
const ImportPage = lazy(() => loadPage(() => import('./import-page.tsx')));
const CheckPage = lazy(() => loadPage(() => import('./check/check-page.tsx')));
const ToolsPage = lazy(() => loadPage(() => import('./tools/tools-page.tsx')));

/** Pages below `/{slug}/catalog`. No entry is called `_`. */
export default function CatalogSection() {
  const { isAdmin } = useWorkspace();
  return (
    <Switch>
      <Route path="/:slug/catalog">
        <CatalogPage />
      </Route>
      {isAdmin ? null : (
        <Route path={/^\/[^/]+\/catalog\/(_\/|[^/]+\/(edit|check)$)/}>
          <NoPermissionState rule="Only workspace admins can register, edit or check MCP servers." />
        </Route>
      )}
      <Route path="/:slug/catalog/_/new">
        <Suspense fallback={<LoadingState />}>
          <RegisterPage />
        </Suspense>
      </Route>
      <Route path="/:slug/catalog/_/gallery">
        <Suspense fallback={<LoadingState />}>
          <GalleryPage />
        </Suspense>
      </Route>
      <Route path="/:slug/catalog/_/import">
        <Suspense fallback={<LoadingState />}>
          <ImportPage />
        </Suspense>
      </Route>
      <Route path="/:slug/catalog/:name">
        {({ name }) => (
          <Suspense fallback={<LoadingState />}>
            <EntryPage key={name} name={name} />
          </Suspense>
        )}
      </Route>
      <Route path="/:slug/catalog/:name/edit">
        {({ name }) => (
          <Suspense fallback={<LoadingState />}>
            <EditEntryPage key={name} name={name} />
          </Suspense>
        )}
      </Route>
      <Route path="/:slug/catalog/:name/check">
        {({ name }) => (
          <Suspense fallback={<LoadingState />}>
            <CheckPage key={name} name={name} />
          </Suspense>
        )}
      </Route>
      <Route path="/:slug/catalog/:name/tools">
        {({ name }) => (
          <Suspense fallback={<LoadingState />}>
            <ToolsPage key={name} name={name} />
          </Suspense>
        )}
      </Route>
      <Route>
        <NotFoundState what="This page" />
      </Route>
    </Switch>
  );
}
