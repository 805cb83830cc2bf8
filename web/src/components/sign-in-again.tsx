import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { api, call } from '../api/client.ts';
import { keys } from '../api/keys.ts';

/** The way to prove who one is, and back to this page: what it held is to be entered again. */
export function SignInAgain() {
  const { data } = useQuery({
    queryKey: keys.authOptions,
    queryFn: ({ signal }) => call(api.GET('/api/auth/options', { signal })),
    staleTime: Number.POSITIVE_INFINITY,
  });
  if (data?.oidc !== true) {
    return <>Sign out, and sign in again.</>;
  }
  const { pathname, search } = window.location;
  const here = encodeURIComponent(pathname + search);
  return (
    <Button component="a" variant="default" href={`/api/auth/sign-in?again=true&return_to=${here}`}>
      Sign in again and come back
    </Button>
  );
}
