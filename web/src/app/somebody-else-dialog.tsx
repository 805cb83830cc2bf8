/**
 * Somebody else signed in with this browser: what the page shows is not theirs, and what it would
 * send would be in their name.
 */
import { Button, Modal, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { watchedFetch } from '../api/client.ts';
import { untilAnswered } from '../api/connection.ts';

/** Replaces the page. */
export default function SomebodyElseDialog() {
  const [isLeaving, setIsLeaving] = useState(false);
  const leave = () => {
    setIsLeaving(true);
    void openStartPage();
  };
  return (
    <Modal
      opened
      onClose={() => undefined}
      withCloseButton={false}
      closeOnEscape={false}
      closeOnClickOutside={false}
      title="Someone else signed in"
    >
      <Stack>
        <Text size="sm">
          Someone else signed in from another tab of this browser, so this page was closed.
        </Text>
        <Button loading={isLeaving} onClick={leave}>
          Continue as the signed-in user
        </Button>
      </Stack>
    </Modal>
  );
}

/**
 * Waits for a platform that is unreachable: in its place the browser would show an error page of
 * its own, and stay there.
 */
async function openStartPage(): Promise<void> {
  while (!(await isAnswering())) {
    await untilAnswered();
  }
  window.location.assign('/app/');
}

const isAnswering = () =>
  watchedFetch('/api/health').then(
    () => true,
    () => false,
  );
