/** Which page an address shows. */
import { Button } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { lazy, type ReactNode, Suspense, useEffect, useState } from 'react';
import { Link, Redirect, Route, Switch } from 'wouter';
import { productName } from '../../../contract/product-name.ts';
import { keys } from '../api/keys.ts';
import type { WorkspaceOfMe } from '../api/types.ts';
import { Mark } from '../components/icon.tsx';
import { LoadingState, NoPermissionState, NotFoundState, StateView } from '../components/state-views.tsx';
import { HomePage } from '../pages/home/home-page.tsx';
import { ColorSchemeButton } from './color-scheme-button.tsx';
import { forgetDrafts } from './drafts.ts';
import { ErrorBoundary } from './error-boundary.tsx';
import { forgetPersonalChoices } from './kept-choice.ts';
import { loadPage } from './load-page.ts';
import { home, newWorkspace, pathOf } from './paths.ts';
import { type Section, sections } from './sections.ts';
import { Shell } from './shell.tsx';
import { useMe, useWorkspace, WorkspaceProvider } from './signed-in.tsx';
import { UserMenu } from './user-menu.tsx';

const NewWorkspacePage = lazy(() => loadPage(() => import('../pages/home/new-workspace-page.tsx')));
const ConnectionsSection = lazy(() => loadPage(() => import('../pages/connections/connections-section.tsx')));

export function Routes() {
  const former = useFormerWorkspaces();
  return (
    <Switch>
      <Route path={home}>
        <HomePage />
      </Route>
      <Route path={newWorkspace}>
        <OutsideWorkspace>
          <Suspense fallback={<LoadingState />}>
            <NewWorkspacePage />
          </Suspense>
        </OutsideWorkspace>
      </Route>
      <Route path={/^\/_\/(connections|passkeys|authorizations\/.*)$/}>
        <OutsideWorkspace>
          <Suspense fallback={<LoadingState />}>
            <ConnectionsSection />
          </Suspense>
        </OutsideWorkspace>
      </Route>
      <Route path="/:slug">{({ slug }) => <Redirect to={pathOf(slug, 'home')} replace />}</Route>
      <Route path="/:slug/:section/*?">
        {({ slug, section }) => (
          <WorkspacePage key={slug} slug={slug} path={section} formerName={former.get(slug)} />
        )}
      </Route>
      <Route>
        <OutsideWorkspace>
          <NotFoundState what="This page" />
        </OutsideWorkspace>
      </Route>
    </Switch>
  );
}

/** `formerName` is that of a workspace which the person was a member of until now. */
function WorkspacePage({
  slug,
  path,
  formerName,
}: {
  slug: string;
  path: string;
  formerName: string | undefined;
}) {
  const workspace = useMe().workspaces.find((candidate) => candidate.slug === slug);
  const section = sections.find((candidate) => candidate.path === path);
  if (workspace === undefined) {
    return (
      <OutsideWorkspace>
        {formerName === undefined ? (
          <NotFoundState what="This workspace" />
        ) : (
          <LeftWorkspaceState name={formerName} />
        )}
      </OutsideWorkspace>
    );
  }
  return (
    <WorkspaceProvider workspace={workspace}>
      <Shell>
        {section === undefined ? <NotFoundState what="This page" /> : <SectionPage section={section} />}
      </Shell>
    </WorkspaceProvider>
  );
}

function LeftWorkspaceState({ name }: { name: string }) {
  return (
    <StateView
      role="alert"
      title={`You are no longer a member of ${name}`}
      text="A workspace admin removed you. Nothing from this workspace is kept in this browser tab."
    >
      <Button component={Link} href={home} variant="default">
        Go to home page
      </Button>
    </StateView>
  );
}

function SectionPage({ section }: { section: Section }) {
  const { isAdmin } = useWorkspace();
  if (section.adminOnly && !isAdmin) {
    return <NoPermissionState rule={`Only workspace admins can see “${section.label}”.`} />;
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

/** Their names by slug. */
function useFormerWorkspaces(): ReadonlyMap<string, string> {
  const { user, workspaces } = useMe();
  const queries = useQueryClient();
  const [seen, setSeen] = useState<readonly WorkspaceOfMe[]>(workspaces);
  const former = seen.filter(({ id }) => !workspaces.some((workspace) => workspace.id === id));
  const lostSlugs = former.map(({ slug }) => slug).join(' ');
  useEffect(() => {
    setSeen((before) => [
      ...before.filter(({ id }) => !workspaces.some((workspace) => workspace.id === id)),
      ...workspaces,
    ]);
  }, [workspaces]);
  useEffect(() => {
    for (const slug of lostSlugs.split(' ').filter((text) => text !== '')) {
      queries.removeQueries({ queryKey: keys.workspace(slug) });
      // These do not name their workspace.
      queries.removeQueries({ queryKey: ['session'] });
      queries.removeQueries({ queryKey: ['agent'] });
      // Shown outside of workspaces, perhaps now: what is left is read again.
      void queries.resetQueries({ queryKey: ['authorization'] });
      void queries.resetQueries({ queryKey: keys.connections });
      queries.getMutationCache().clear();
      forgetDrafts({ userId: user.id, slug });
      forgetPersonalChoices({ userId: user.id, slug });
    }
  }, [lostSlugs, queries, user.id]);
  return new Map(former.map(({ slug, name }) => [slug, name]));
}

/** The frame of a page outside of every workspace: the way to sign out. */
function OutsideWorkspace({ children }: { children: ReactNode }) {
  return (
    <>
      <header className="bare-head">
        <span className="brand">
          <Mark size={20} />
          <span className="side-name">{productName}</span>
        </span>
        <UserMenu />
        <ColorSchemeButton />
      </header>
      {children}
    </>
  );
}
