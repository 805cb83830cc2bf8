import { CopyButton, Menu, UnstyledButton } from '@mantine/core';
import { Link } from 'wouter';
import { PersonAvatar } from '../components/avatar.tsx';
import { SignOutFailure, useSignOut } from '../components/sign-out.tsx';
import { connections, passkeys } from './paths.ts';
import { useMe } from './signed-in.tsx';
import { useNoticeSwitch } from './use-notices.ts';

/** The person: on phones their initials, and their name to screen readers. */
export function UserMenu() {
  const { user } = useMe();
  const signOut = useSignOut();
  const notices = useNoticeSwitch();
  return (
    <>
      <Menu position="top-start">
        <Menu.Target>
          <UnstyledButton className="side-person" title={user.name}>
            <PersonAvatar name={user.name} isLarge />
            <span className="cut side-word">{user.name}</span>
          </UnstyledButton>
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
          <Menu.Item component={Link} href={passkeys}>
            Your passkeys
          </Menu.Item>
          {notices === null ? null : (
            <Menu.Item onClick={() => void notices.toggle()}>
              {notices.isOn ? 'Stop notifications of requests' : 'Notify me of requests'}
            </Menu.Item>
          )}
          <Menu.Item onClick={() => signOut.mutate()}>Sign out</Menu.Item>
        </Menu.Dropdown>
      </Menu>
      <SignOutFailure signOut={signOut} />
    </>
  );
}
