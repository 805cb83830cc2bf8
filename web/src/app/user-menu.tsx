import { Button, CopyButton, Menu } from '@mantine/core';
import { Link } from 'wouter';
import { SignOutFailure, useSignOut } from '../components/sign-out.tsx';
import { connections } from './paths.ts';
import { useMe } from './signed-in.tsx';

export function UserMenu() {
  const { user } = useMe();
  const signOut = useSignOut();
  return (
    <>
      <Menu position="bottom-end">
        <Menu.Target>
          <Button variant="subtle" maw={200} className="shell-name" rightSection={<span aria-hidden>▾</span>}>
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
          <Menu.Item component={Link} href={connections}>
            Your connections
          </Menu.Item>
          <Menu.Item onClick={() => signOut.mutate()}>Sign out</Menu.Item>
        </Menu.Dropdown>
      </Menu>
      <SignOutFailure signOut={signOut} />
    </>
  );
}
