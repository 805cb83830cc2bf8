import { Button } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { api, call } from '../api/client.ts';

export function useSignOut(): () => void {
  const signOut = useMutation({
    mutationFn: () => call(api.POST('/api/auth/sign-out', {})),
    // A new load forgets everything that this page knew.
    onSuccess: () => window.location.assign('/app/'),
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
