/** Which page an address shows. */
import { lazy, Suspense } from 'react';
import { Redirect, Route, Switch } from 'wouter';
import { LoadingState, NoPermissionState, NotFoundState } from '../components/state-views.tsx';
import { HomePage } from '../pages/home/home-page.tsx';
import { ErrorBoundary } from './error-boundary.tsx';
import { home, newWorkspace, pathOf } from './paths.ts';
import { type Section, sections } from './sections.ts';
import { Shell } from './shell.tsx';
import { useMe, useWorkspace, WorkspaceProvider } from './signed-in.tsx';

const NewWorkspacePage = lazy(() => import('../pages/home/new-workspace-page.tsx'));

export function Routes() {
  return (
    <Switch>
      <Route path={home}>
        <HomePage />
      </Route>
      <Route path={newWorkspace}>
        <Suspense fallback={<LoadingState />}>
          <NewWorkspacePage />
        </Suspense>
      </Route>
      <Route path="/:slug">{({ slug }) => <Redirect to={pathOf(slug, 'sessions')} replace />}</Route>
      <Route path="/:slug/:section/*?">
        {({ slug, section }) => <WorkspacePage key={slug} slug={slug} path={section} />}
      </Route>
      <Route>
        <NotFoundState what="This page" />
      </Route>
    </Switch>
  );
}

function WorkspacePage({ slug, path }: { slug: string; path: string }) {
  const workspace = useMe().workspaces.find((candidate) => candidate.slug === slug);
  const section = sections.find((candidate) => candidate.path === path);
  if (workspace === undefined) {
    return <NotFoundState what="This workspace" />;
  }
  return (
    <WorkspaceProvider workspace={workspace}>
      <Shell>
        {section === undefined ? <NotFoundState what="This page" /> : <SectionPage section={section} />}
      </Shell>
    </WorkspaceProvider>
  );
}

function SectionPage({ section }: { section: Section }) {
  const { isAdmin } = useWorkspace();
  if (section.adminOnly && !isAdmin) {
    return <NoPermissionState rule={`Only an admin of this workspace may see "${section.label}".`} />;
  }
  const Page = section.page;
  return (
    <ErrorBoundary key={section.path}>
      <Suspense fallback={<LoadingState />}>
        <Page />
      </Suspense>
    </ErrorBoundary>
  );
}
