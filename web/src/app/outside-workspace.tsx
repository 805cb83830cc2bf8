import { Group } from '@mantine/core';
import type { ReactNode } from 'react';
import { ColorSchemeButton } from './color-scheme-button.tsx';
import { UserMenu } from './user-menu.tsx';

/** The frame of a page outside of every workspace: the way to sign out. */
export function OutsideWorkspace({ children }: { children: ReactNode }) {
  return (
    <>
      <Group component="header" justify="flex-end" gap="xs" px="md" h={56}>
        <ColorSchemeButton />
        <UserMenu />
      </Group>
      {children}
    </>
  );
}
