import { Group, Stack, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import { usePageTitle } from '../app/page-title.ts';

/** Every page's frame: its one `h1`, the browser's title, what one can do here, then the content. */
export function PageFrame({
  title,
  description,
  actions,
  children,
}: {
  title: string;
  description?: ReactNode;
  actions?: ReactNode;
  children: ReactNode;
}) {
  usePageTitle(title);
  return (
    <Stack gap="md" maw={1200}>
      <Group justify="space-between" align="flex-start" gap="xs">
        <div>
          <Title order={1} size="h2" className="text-block">
            {title}
          </Title>
          {description === undefined ? null : <Text c="dimmed">{description}</Text>}
        </div>
        {actions === undefined ? null : <Group gap="xs">{actions}</Group>}
      </Group>
      {children}
    </Stack>
  );
}
