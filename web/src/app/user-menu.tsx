import { Button, CopyButton, Menu } from '@mantine/core';
import { SignOutFailure, useSignOut } from '../components/sign-out.tsx';
import { useMe } from './signed-in.tsx';

export function UserMenu() {
  const { user } = useMe();
  const signOut = useSignOut();
  return (
    <>
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
                {copied ? 'Copied' : 'Copy user ID'}
              </Menu.Item>
            )}
          </CopyButton>
          <Menu.Item onClick={() => signOut.mutate()}>Sign out</Menu.Item>
        </Menu.Dropdown>
      </Menu>
      <SignOutFailure signOut={signOut} />
    </>
  );
}
