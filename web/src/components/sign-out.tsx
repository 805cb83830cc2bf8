import { Button, Group, Modal, Stack } from '@mantine/core';
import type { UseMutationResult } from '@tanstack/react-query';
import { api, call } from '../api/client.ts';
import { useLive } from '../api/stream/use-live.ts';
import { useApiMutation } from '../api/use-api-mutation.ts';
import { reloadSignedOut } from '../app/reload-signed-out.ts';
import { FailureAlert } from './failure-alert.tsx';

type SignOut = UseMutationResult<unknown, Error, void>;

export function useSignOut(): SignOut {
  const live = useLive();
  return useApiMutation({
    send: () => call(api.POST('/api/auth/sign-out', {})),
    onSuccess: () => {
      live?.leave();
      reloadSignedOut();
    },
  });
}

/** Warns a person who might leave the machine believing to be signed out. */
export function SignOutFailure({ signOut }: { signOut: SignOut }) {
  return (
    <Modal opened={signOut.isError} onClose={signOut.reset} title="You are still signed in">
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

/** For pages on which nothing else can be done, perhaps because the wrong person is signed in. */
export function SignOutButton() {
  const signOut = useSignOut();
  return (
    <>
      <Button variant="subtle" loading={signOut.isPending} onClick={() => signOut.mutate()}>
        Sign out
      </Button>
      <SignOutFailure signOut={signOut} />
    </>
  );
}
