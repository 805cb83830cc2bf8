/** The frame of every page of a workspace: the way to other sections, workspaces, and out. */
import { AppShell, Burger, Group } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { type ReactNode, useEffect, useRef } from 'react';
import { useLocation } from 'wouter';
import { ClosedBanner } from './closed-banner.tsx';
import { ColorSchemeButton } from './color-scheme-button.tsx';
import { Navigation } from './navigation.tsx';
import { WaitingCount } from './page-title.ts';
import { useWorkspace } from './signed-in.tsx';
import { useWaitingCount } from './use-waiting-count.ts';
import { UserMenu } from './user-menu.tsx';
import { WorkspaceSwitcher } from './workspace-switcher.tsx';

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
            <Group gap="xs" wrap="nowrap">
              <Burger
                opened={opened}
                onClick={toggle}
                hiddenFrom="sm"
                size="sm"
                aria-label={opened ? 'Close navigation' : 'Open navigation'}
                aria-expanded={opened}
              />
              <WorkspaceSwitcher />
            </Group>
            <Group gap="xs" wrap="nowrap">
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
