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
      title="Somebody else has signed in"
    >
      <Stack>
        <Text size="sm">
          In another tab of this browser, somebody else has signed in. This page was yours and is closed.
        </Text>
        <Button onClick={() => window.location.assign('/app/')}>Go on as who is signed in now</Button>
      </Stack>
    </Modal>
  );
}

export const useIsOfSomebodyElse = () =>
  useSyncExternalStore(subscribeConnection, readConnection).isOfSomebodyElse;
