/** The frame of every page of a workspace: the way to other sections, workspaces, and out. */
import { Menu, Text, UnstyledButton } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { lazy, type ReactNode, Suspense, useEffect, useRef, useState } from 'react';
import { Link, useLocation, useRoute } from 'wouter';
import { productName } from '../../../contract/product-name.ts';
import { api, call } from '../api/client.ts';
import { keys } from '../api/keys.ts';
import { Icon, Mark } from '../components/icon.tsx';
import { ClosedBanner } from './closed-banner.tsx';
import { ColorSchemeButton } from './color-scheme-button.tsx';
import { helpFor } from './help.ts';
import { loadPage } from './load-page.ts';
import { WaitingCount } from './page-title.ts';
import { newWorkspace, pathOf } from './paths.ts';
import { homeSection, type Section, sectionGroups, sections } from './sections.ts';
import { useMe, useWorkspace } from './signed-in.tsx';
import { useNotices } from './use-notices.ts';
import { useShortcuts } from './use-shortcuts.ts';
import { UserMenu } from './user-menu.tsx';

const Palette = lazy(() => loadPage(() => import('./palette.tsx')));
const ShortcutsDialog = lazy(() => loadPage(() => import('./shortcuts-dialog.tsx')));

/** As in shell.css, which lays the frame out. */
const phoneWidth = '(max-width: 40em)';
const narrowWidth = '(max-width: 74.99em)';

export function Shell({ children }: { children: ReactNode }) {
  const { slug } = useWorkspace();
  const counted = useWaitingCount(slug);
  const waiting = counted ?? 0;
  useNotices(counted, pathOf(slug, 'approvals'));
  const [location] = useLocation();
  // Measured at once: a phone never draws the sidebar first.
  const isPhone = useMediaQuery(phoneWidth, undefined, { getInitialValueInEffect: false }) ?? false;
  const isNarrow = useMediaQuery(narrowWidth, undefined, { getInitialValueInEffect: false }) ?? false;
  const [chosen, setFolded] = useState<boolean | null>(null);
  const [opened, setOpened] = useState(false);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another page was opened, so the navigation closes.
  useEffect(() => setOpened(false), [location]);
  useFocusOnNewPage(location);
  const isFolded = !isPhone && (chosen ?? isNarrow);
  const [dialog, setDialog] = useState<'search' | 'legend' | null>(null);
  const [, navigate] = useLocation();
  const help = helpFor(location.split('/')[2]);
  useShortcuts((shortcut) => {
    if (shortcut === 'search' || shortcut === 'legend') {
      setDialog(shortcut);
    } else if (shortcut === 'find') {
      document.querySelector<HTMLElement>('#main input[type=search]')?.focus();
    } else if (shortcut === 'fold') {
      setFolded(!isFolded);
    } else {
      navigate(shortcut === 'start' ? pathOf(slug, 'sessions', 'new') : pathOf(slug, shortcut.to));
    }
  });
  return (
    <WaitingCount.Provider value={waiting}>
      <a href="#main" className="skip-link">
        Skip to main content
      </a>
      <div className={isFolded ? 'shell shell-folded' : 'shell'}>
        <header className="side">
          <div className="brand">
            <Mark size={20} />
            <span className="side-word side-name">{productName}</span>
            {isPhone ? null : <FoldButton isFolded={isFolded} onFold={setFolded} />}
          </div>
          <WorkspaceSwitcher />
          <SearchButton onOpen={() => setDialog('search')} />
          {isPhone ? null : <Navigation waiting={waiting} />}
          <div className="side-foot">
            <UserMenu />
            {isPhone ? null : <HelpLink to={help} />}
            <ColorSchemeButton />
          </div>
        </header>
        {isPhone ? <Tabs waiting={waiting} opened={opened} onMore={() => setOpened(!opened)} /> : null}
        {isPhone && opened ? <Navigation waiting={waiting} isRest onChosen={() => setOpened(false)} /> : null}
        <main id="main" tabIndex={-1} className="shell-main" inert={isPhone && opened}>
          <ClosedBanner />
          {children}
        </main>
      </div>
      <Suspense>
        {dialog === 'search' ? (
          <Palette onClose={() => setDialog(null)} onLegend={() => setDialog('legend')} help={help} />
        ) : null}
        {dialog === 'legend' ? <ShortcutsDialog onClose={() => setDialog(null)} /> : null}
      </Suspense>
    </WaitingCount.Provider>
  );
}

const SearchButton = ({ onOpen }: { onOpen: () => void }) => (
  <button
    type="button"
    className="side-search"
    title="Search or jump to"
    aria-haspopup="dialog"
    aria-keyshortcuts="Control+K Meta+K"
    onClick={onOpen}
  >
    <Icon name="search" />
    <span className="cut side-word">Search or jump to</span>
    <span className="side-keys" aria-hidden="true">
      {isMac ? '⌘K' : 'Ctrl K'}
    </span>
  </button>
);

const isMac = /Mac|iPhone|iPad/.test(navigator.userAgent);

const HelpLink = ({ to }: { to: string }) => (
  <a
    className="side-button"
    href={to}
    target="_blank"
    rel="noopener noreferrer"
    aria-label="Help with this page"
    title="Help with this page"
  >
    <Icon name="help" />
  </a>
);

/** Moves the focus from the navigation to the new page; a field that took the focus by itself keeps it. */
function useFocusOnNewPage(location: string): void {
  const shown = useRef(location);
  useEffect(() => {
    const chosen = document.activeElement;
    const isFree = chosen === document.body || chosen?.closest('nav, header') !== null;
    if (shown.current !== location && isFree) {
      document.getElementById('main')?.focus({ preventScroll: true });
      window.scrollTo(0, 0);
    }
    shown.current = location;
  }, [location]);
}

function FoldButton({ isFolded, onFold }: { isFolded: boolean; onFold: (isFolded: boolean) => void }) {
  const label = isFolded ? 'Unfold the sidebar' : 'Fold the sidebar';
  return (
    <button
      type="button"
      className="side-button"
      aria-label={label}
      title={label}
      onClick={() => onFold(!isFolded)}
    >
      <Icon name="sidebar" />
    </button>
  );
}

/** What a phone has at its lower edge; the rest is behind the last of them. */
const tabs: readonly Section[] = sections.filter(({ path }) =>
  ['home', 'sessions', 'approvals'].includes(path),
);

/** `isRest`: the sections that the tabs do not have. */
function Navigation({
  waiting,
  isRest = false,
  onChosen,
}: {
  waiting: number;
  isRest?: boolean;
  onChosen?: () => void;
}) {
  const { isAdmin } = useWorkspace();
  return (
    <nav aria-label="Sections" className="side-nav">
      {isRest ? null : <SectionLink section={homeSection} waiting={waiting} onChosen={onChosen} />}
      {sectionGroups.map(({ label, sections: ofGroup }) => (
        // biome-ignore lint/a11y/useSemanticElements: a group of links is no group of fields.
        <div role="group" key={label} aria-label={label}>
          <div className="nav-label" aria-hidden="true">
            {label}
          </div>
          {ofGroup
            .filter((section) => (isAdmin || !section.adminOnly) && !(isRest && tabs.includes(section)))
            .map((section) => (
              <SectionLink key={section.path} section={section} waiting={waiting} onChosen={onChosen} />
            ))}
        </div>
      ))}
    </nav>
  );
}

function SectionLink({
  section,
  waiting,
  onChosen,
}: {
  section: Section;
  waiting: number;
  onChosen?: (() => void) | undefined;
}) {
  const { slug } = useWorkspace();
  const [isHere] = useRoute(`/:slug/${section.path}/*?`);
  return (
    <Link
      href={pathOf(slug, section.path)}
      title={section.label}
      aria-current={isHere ? 'page' : undefined}
      onClick={onChosen}
    >
      <Icon name={section.path} />
      <span className="side-word">{section.label}</span>
      {section.path === 'approvals' && waiting > 0 ? (
        <span className="count" role="img" aria-label={`${waiting} waiting for you`}>
          {waiting}
        </span>
      ) : null}
    </Link>
  );
}

function Tabs({ waiting, opened, onMore }: { waiting: number; opened: boolean; onMore: () => void }) {
  return (
    <nav aria-label="Tabs" className="shell-tabs">
      {tabs.map((section) => (
        <SectionLink key={section.path} section={section} waiting={waiting} />
      ))}
      <button
        type="button"
        aria-label={opened ? 'More: Close navigation' : 'More: Open navigation'}
        aria-expanded={opened}
        onClick={onMore}
      >
        <Icon name={opened ? 'close' : 'menu'} />
        <span>More</span>
      </button>
    </nav>
  );
}

/** Read again when the stream says that something was asked or decided. */
function useWaitingCount(slug: string): number | null {
  const { data } = useQuery({
    queryKey: keys.permissionRequests(slug, 'waiting'),
    queryFn: ({ signal }) =>
      call(
        api.GET('/api/workspaces/{slug}/permission-requests/count', { params: { path: { slug } }, signal }),
      ),
    // The count in the tab's title is for those who look elsewhere.
    meta: { whileHidden: true },
  });
  return data?.may_decide ?? null;
}

function WorkspaceSwitcher() {
  const { workspaces } = useMe();
  const { name, slug } = useWorkspace();
  return (
    <Menu position="bottom-start">
      <Menu.Target>
        <UnstyledButton className="side-workspace" title={name}>
          <span
            className="avatar avatar-workspace"
            data-letters={[...name][0]?.toUpperCase()}
            aria-hidden="true"
          />
          <span className="cut side-word">{name}</span>
          <Icon name="selector" />
        </UnstyledButton>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>Workspaces</Menu.Label>
        {workspaces.map((workspace) => (
          <Menu.Item
            key={workspace.id}
            component={Link}
            href={pathOf(workspace.slug, 'home')}
            fw={workspace.slug === slug ? 600 : 400}
            rightSection={workspace.role}
          >
            {workspace.name}
            <Text size="xs" c="dimmed">
              {workspace.slug}
            </Text>
          </Menu.Item>
        ))}
        <Menu.Divider />
        <Menu.Item component={Link} href={newWorkspace}>
          New workspace
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
