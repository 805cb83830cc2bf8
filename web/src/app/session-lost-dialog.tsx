/** The sign-in ended while a page was open: one signs in over the page, so that what was typed stays. */
import { Modal } from '@mantine/core';
import { useSyncExternalStore } from 'react';
import { readConnection, subscribeConnection } from '../api/connection.ts';
import { SignInChoices } from '../pages/sign-in/sign-in-choices.tsx';

export function SessionLostDialog() {
  const { signedOut } = useSyncExternalStore(subscribeConnection, readConnection);
  return (
    <Modal
      opened={signedOut}
      onClose={() => undefined}
      withCloseButton={false}
      closeOnEscape={false}
      closeOnClickOutside={false}
      title="You have been signed out"
    >
      <SignInChoices overPage />
    </Modal>
  );
}
