/** Somebody else signed in with this browser: what the page shows is not theirs, and what it would send would be in their name. */
import { Button, Modal, Stack, Text } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useSyncExternalStore } from 'react';
import { readConnection, subscribeConnection } from '../api/connection.ts';

/** Replaces the page. */
export function SomebodyElseDialog() {
  const queries = useQueryClient();
  useEffect(() => queries.clear(), [queries]);
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
        <Button onClick={() => window.location.assign('/app/')}>Continue as the signed-in user</Button>
      </Stack>
    </Modal>
  );
}

export const useIsOfSomebodyElse = () =>
  useSyncExternalStore(subscribeConnection, readConnection).isOfSomebodyElse;
