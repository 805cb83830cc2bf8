/** The frame of every page of a workspace: the way to other sections, workspaces, and out. */
import { AppShell, Badge, Burger, Button, Group, Menu, NavLink, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useEffect, useRef } from 'react';
import { Link, useLocation, useRoute } from 'wouter';
import { productName } from '../../../contract/product-name.ts';
import { api, call } from '../api/client.ts';
import { keys } from '../api/keys.ts';
import { ClosedBanner } from './closed-banner.tsx';
import { ColorSchemeButton } from './color-scheme-button.tsx';
import { WaitingCount } from './page-title.ts';
import { newWorkspace, pathOf } from './paths.ts';
import { type Section, sections } from './sections.ts';
import { useMe, useWorkspace } from './signed-in.tsx';
import { UserMenu } from './user-menu.tsx';

export function Shell({ children }: { children: ReactNode }) {
  const [opened, { toggle, close }] = useDisclosure();
  const { slug } = useWorkspace();
  const waiting = useWaitingCount(slug);
  const [location] = useLocation();
  // biome-ignore lint/correctness/useExhaustiveDependencies: another page was opened, so the navigation closes.
  useEffect(close, [location]);
  useFocusOnNewPage(location);
  return (
    <WaitingCount.Provider value={waiting}>
      <a href="#main" className="skip-link">
        Skip to main content
      </a>
      <AppShell
        header={{ height: 56 }}
        navbar={{ width: 220, breakpoint: 'sm', collapsed: { mobile: !opened } }}
        padding="md"
        transitionDuration={0}
      >
        <AppShell.Header>
          <Group h="100%" px="md" gap="xs" wrap="nowrap" justify="space-between">
            <Group gap="xs" wrap="nowrap" miw={0}>
              <Burger
                opened={opened}
                onClick={toggle}
                hiddenFrom="sm"
                size="sm"
                aria-label={opened ? 'Close navigation' : 'Open navigation'}
                aria-expanded={opened}
              />
              <Text fw={700} flex="none" visibleFrom="sm">
                {productName}
              </Text>
              <WorkspaceSwitcher />
            </Group>
            <Group gap="xs" wrap="nowrap" miw={0}>
              <ColorSchemeButton />
              <UserMenu />
            </Group>
          </Group>
        </AppShell.Header>
        <AppShell.Navbar p="xs" aria-label="Sections">
          <Navigation waiting={waiting} />
        </AppShell.Navbar>
        <AppShell.Main id="main" tabIndex={-1}>
          <ClosedBanner />
          {children}
        </AppShell.Main>
      </AppShell>
    </WaitingCount.Provider>
  );
}

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

function Navigation({ waiting }: { waiting: number }) {
  const { isAdmin } = useWorkspace();
  const shown = sections.filter(({ adminOnly }) => isAdmin || !adminOnly);
  return shown.map((section) => (
    <SectionLink key={section.path} section={section} count={section.path === 'approvals' ? waiting : 0} />
  ));
}

function SectionLink({ section, count }: { section: Section; count: number }) {
  const { slug } = useWorkspace();
  const [isHere] = useRoute(`/:slug/${section.path}/*?`);
  return (
    <NavLink
      component={Link}
      href={pathOf(slug, section.path)}
      label={section.label}
      active={isHere}
      aria-current={isHere ? 'page' : undefined}
      rightSection={
        count > 0 ? (
          <Badge circle={count < 10} color="red" aria-label={`${count} waiting for you`}>
            {count}
          </Badge>
        ) : null
      }
    />
  );
}

/** Read again when the stream says that something was asked or decided. */
function useWaitingCount(slug: string): number {
  const { data } = useQuery({
    queryKey: keys.permissionRequests(slug, 'waiting'),
    queryFn: ({ signal }) =>
      call(
        api.GET('/api/workspaces/{slug}/permission-requests/count', { params: { path: { slug } }, signal }),
      ),
    // The count in the tab's title is for those who look elsewhere.
    meta: { whileHidden: true },
  });
  return data?.may_decide ?? 0;
}

function WorkspaceSwitcher() {
  const { workspaces } = useMe();
  const { name, slug } = useWorkspace();
  return (
    <Menu position="bottom-start">
      <Menu.Target>
        <Button variant="default" maw={220} className="shell-name" rightSection={<span aria-hidden>▾</span>}>
          {name}
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>Workspaces</Menu.Label>
        {workspaces.map((workspace) => (
          <Menu.Item
            key={workspace.id}
            component={Link}
            href={pathOf(workspace.slug, 'sessions')}
            fw={workspace.slug === slug ? 700 : 400}
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
