import { Button, Menu, Text } from '@mantine/core';
import { Link } from 'wouter';
import { newWorkspace, pathOf } from './paths.ts';
import { useMe, useWorkspace } from './signed-in.tsx';

export function WorkspaceSwitcher() {
  const { workspaces } = useMe();
  const { name, slug } = useWorkspace();
  return (
    <Menu position="bottom-start">
      <Menu.Target>
        <Button variant="default" maw={220} rightSection={<span aria-hidden>▾</span>}>
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
