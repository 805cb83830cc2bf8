import { Button } from '@mantine/core';
import type { UseMutationResult } from '@tanstack/react-query';
import { lazy, Suspense } from 'react';
import { api, call } from '../api/client.ts';
import { useLive } from '../api/stream/use-live.ts';
import { useApiMutation } from '../api/use-api-mutation.ts';
import { loadPage } from '../app/load-page.ts';
import { reloadSignedOut } from '../app/reload-signed-out.ts';

const SignOutFailureDialog = lazy(() => loadPage(() => import('./sign-out-failure.tsx')));

export type SignOut = UseMutationResult<unknown, Error, void>;

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

/** Shows what went wrong where it did. */
export function SignOutFailure({ signOut }: { signOut: SignOut }) {
  return signOut.isError ? (
    <Suspense>
      <SignOutFailureDialog signOut={signOut} />
    </Suspense>
  ) : null;
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
