import { Box, Group, Stack, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import { usePageTitle } from '../app/page-title.ts';

/**
 * Every page's frame: its one `h1`, the browser's title, what one can do here, then the content. `tabTitle`
 * is for a tab that should say more than the page's heading. With `pinned`, which stands below the heading,
 * both stay in view on a long page.
 */
export function PageFrame({
  title,
  tabTitle = title,
  description,
  actions,
  pinned,
  children,
}: {
  title: string;
  tabTitle?: string;
  description?: ReactNode;
  actions?: ReactNode;
  pinned?: ReactNode;
  children: ReactNode;
}) {
  usePageTitle(tabTitle);
  return (
    <Stack gap="md" maw={1200}>
      <Box className={pinned === undefined ? undefined : 'pinned-head'}>
        <Group
          justify="space-between"
          align="flex-start"
          gap="xs"
          wrap={pinned === undefined ? 'wrap' : 'nowrap'}
        >
          <div>
            <Title order={1} size="h2" className="text-block">
              {title}
            </Title>
            {description === undefined ? null : <Text c="dimmed">{description}</Text>}
          </div>
          {actions === undefined ? null : <Group gap="xs">{actions}</Group>}
        </Group>
        {pinned}
      </Box>
      {children}
    </Stack>
  );
}
