import { Button } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { api, call } from '../api/client.ts';
import { useLive } from '../api/stream/use-live.ts';
import { startAfresh } from '../app/start-afresh.ts';

export function useSignOut(): () => void {
  const live = useLive();
  const signOut = useMutation({
    mutationFn: () => call(api.POST('/api/auth/sign-out', {})),
    onSuccess: () => {
      live?.leave();
      startAfresh();
    },
  });
  return () => signOut.mutate();
}

/** For pages on which one can do nothing else, perhaps since one is signed in as somebody else than one thinks. */
export function SignOutButton() {
  return (
    <Button variant="subtle" onClick={useSignOut()}>
      Sign out
    </Button>
  );
}
