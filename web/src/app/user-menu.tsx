import { Button, CopyButton, Menu } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { api, call } from '../api/client.ts';
import { useMe } from './signed-in.tsx';

export function UserMenu() {
  const { user } = useMe();
  const signOut = useMutation({
    mutationFn: () => call(api.POST('/api/auth/sign-out', {})),
    // A new load forgets everything that this page knew.
    onSuccess: () => window.location.assign('/app/'),
  });
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <Button variant="subtle" maw={200} rightSection={<span aria-hidden>▾</span>}>
          {user.name}
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>{user.email}</Menu.Label>
        {/* An admin of a workspace can add somebody by it. */}
        <CopyButton value={user.id}>
          {({ copied, copy }) => (
            <Menu.Item closeMenuOnClick={false} title={user.id} onClick={copy}>
              {copied ? 'Copied' : 'Copy your user id'}
            </Menu.Item>
          )}
        </CopyButton>
        <Menu.Item onClick={() => signOut.mutate()}>Sign out</Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
