/** Loaded where a sign-out failed: dialogs are no part of the first page. */
import { Button, Group, Modal, Stack } from '@mantine/core';
import { FailureAlert } from './failure-alert.tsx';
import type { SignOut } from './sign-out.tsx';

/** Warns a person who might leave the machine believing to be signed out. */
export default function SignOutFailureDialog({ signOut }: { signOut: SignOut }) {
  return (
    <Modal opened onClose={signOut.reset} title="You are still signed in">
      <Stack>
        <FailureAlert error={signOut.error} />
        <Group justify="flex-end">
          <Button variant="default" onClick={signOut.reset}>
            Close
          </Button>
          <Button onClick={() => signOut.mutate()}>Try again</Button>
        </Group>
      </Stack>
    </Modal>
  );
}
