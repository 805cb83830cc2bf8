/** The ways of signing in that the platform offers. */
import { Anchor, Button, Divider, Stack, Text, TextInput } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { api, call } from '../../api/client.ts';
import { reportSignedIn } from '../../api/connection.ts';
import { keys } from '../../api/keys.ts';
import type { Me } from '../../api/types.ts';
import { FailureAlert } from '../../components/failure-alert.tsx';
import { FailedState, LoadingState } from '../../components/state-views.tsx';

/** `overPage`: a page with unsent input is open below, so the identity provider opens beside it. */
export function SignInChoices({ overPage = false }: { overPage?: boolean }) {
  const options = useQuery({
    queryKey: keys.authOptions,
    queryFn: ({ signal }) => call(api.GET('/api/auth/options', { signal })),
    staleTime: Number.POSITIVE_INFINITY,
  });
  if (options.data === undefined) {
    return options.error === null ? (
      <LoadingState />
    ) : (
      <FailedState error={options.error} retry={() => void options.refetch()} what="The sign-in" />
    );
  }
  const { oidc, demo_people: demoPeople } = options.data;
  return (
    <Stack>
      {demoPeople === null ? null : <DemoSignIn people={demoPeople} />}
      {oidc && demoPeople !== null ? <Divider label="or" /> : null}
      {oidc ? overPage ? <ProviderBeside /> : <ProviderHere /> : null}
    </Stack>
  );
}

/** Continues the page as the person who signed in. A different person gets a new page: nothing of the first remains. */
function useEnter(): (me: Me) => void {
  const queries = useQueryClient();
  return (me) => {
    const before = queries.getQueryData<Me>(keys.me);
    if (before !== undefined && before.user.id !== me.user.id) {
      window.location.assign('/app/');
      return;
    }
    queries.setQueryData(keys.me, me);
    reportSignedIn();
    void queries.invalidateQueries({ predicate: ({ queryKey }) => queryKey[0] !== keys.me[0] });
  };
}

function DemoSignIn({ people }: { people: { email: string; name: string }[] }) {
  const [email, setEmail] = useState('');
  const enter = useEnter();
  const signIn = useMutation({
    mutationFn: (body: { email: string }) => call(api.POST('/api/auth/demo-sign-in', { body })),
    onSuccess: enter,
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    signIn.mutate({ email: email.trim() });
  };
  return (
    <Stack gap="sm">
      <Text size="sm">This is a demo on one machine: choose who you are. There are no passwords.</Text>
      {people.map((person) => (
        <Button
          key={person.email}
          onClick={() => signIn.mutate({ email: person.email })}
          loading={signIn.isPending && signIn.variables.email === person.email}
          variant="default"
          justify="space-between"
          rightSection={<Text size="sm">{person.email}</Text>}
        >
          {person.name}
        </Button>
      ))}
      <form onSubmit={submit}>
        <TextInput
          label="Another person's e-mail address"
          type="email"
          value={email}
          onChange={(event) => setEmail(event.currentTarget.value)}
          rightSectionWidth={80}
          rightSection={
            <Button type="submit" size="compact-sm" variant="subtle" disabled={email.trim() === ''}>
              Sign in
            </Button>
          }
        />
      </form>
      <FailureAlert error={signIn.error} values={email} />
    </Stack>
  );
}

const providerPath = (returnTo: string) => `/api/auth/sign-in?return_to=${encodeURIComponent(returnTo)}`;

function ProviderHere() {
  const { pathname, search } = window.location;
  return (
    <Button component="a" href={providerPath(pathname + search)}>
      Sign in at your identity provider
    </Button>
  );
}

function ProviderBeside() {
  const enter = useEnter();
  const look = useMutation({ mutationFn: () => call(api.GET('/api/me')), onSuccess: enter });
  return (
    <Stack gap="sm">
      <Text size="sm">
        What you typed stays on this page: sign in{' '}
        <Anchor href={providerPath('/app/')} target="_blank" rel="noopener" underline="always">
          in another tab
        </Anchor>{' '}
        and come back.
      </Text>
      <Button onClick={() => look.mutate()} loading={look.isPending}>
        I have signed in
      </Button>
      <FailureAlert error={look.error} />
    </Stack>
  );
}
