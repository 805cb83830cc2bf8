/** The ways of signing in that the platform offers. */
import { Anchor, Button, Divider, Stack, Text, TextInput, UnstyledButton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { api, call } from '../../api/client.ts';
import { keys } from '../../api/keys.ts';
import { useApiMutation } from '../../api/use-api-mutation.ts';
import { useEnter } from '../../app/use-enter.ts';
import { PersonAvatar } from '../../components/avatar.tsx';
import { FailureAlert } from '../../components/failure-alert.tsx';
import { Icon } from '../../components/icon.tsx';
import { QueryState } from '../../components/query-state.tsx';

/** `overPage`: a page with unsent input is open below, so the identity provider opens beside it. */
export function SignInChoices({ overPage = false }: { overPage?: boolean }) {
  const options = useQuery({
    queryKey: keys.authOptions,
    queryFn: ({ signal }) => call(api.GET('/api/auth/options', { signal })),
    staleTime: Number.POSITIVE_INFINITY,
  });
  return (
    <QueryState query={options} what="The sign-in">
      {({ oidc, demo_people: demoPeople }) => (
        <Stack>
          {oidc ? overPage ? <ProviderBeside /> : <ProviderHere /> : null}
          {oidc && demoPeople !== null ? <Divider label="or" /> : null}
          {demoPeople === null ? null : <DemoSignIn people={demoPeople} />}
        </Stack>
      )}
    </QueryState>
  );
}

function DemoSignIn({ people }: { people: { email: string; name: string }[] }) {
  const [email, setEmail] = useState('');
  const enter = useEnter();
  const signIn = useApiMutation({
    send: (body: { email: string }) => call(api.POST('/api/auth/demo-sign-in', { body })),
    onSuccess: enter,
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    signIn.mutate({ email: email.trim() });
  };
  return (
    <Stack gap="sm">
      <Text size="sm" c="dimmed">
        This is a demo on one machine: choose a user. No password is needed.
      </Text>
      <div className="demo-people">
        {people.map((person) => (
          <UnstyledButton
            key={person.email}
            onClick={() => signIn.mutate({ email: person.email })}
            disabled={signIn.isPending}
          >
            <PersonAvatar name={person.name} isLarge />
            <span>
              <b>{person.name}</b>
              <small>{person.email}</small>
            </span>
            <Icon name="arrowRight" />
          </UnstyledButton>
        ))}
      </div>
      <form onSubmit={submit}>
        <TextInput
          label="Other e-mail address"
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
      Sign in with your identity provider
    </Button>
  );
}

function ProviderBeside() {
  const enter = useEnter();
  const look = useApiMutation({ send: () => call(api.GET('/api/me')), onSuccess: enter });
  return (
    <Stack gap="sm">
      <Text size="sm">
        Sign in{' '}
        <Anchor href={providerPath('/app/')} target="_blank" rel="noopener" underline="always">
          in another tab
        </Anchor>{' '}
        and come back. What you typed is kept on this page.
      </Text>
      <Button onClick={() => look.mutate()} loading={look.isPending}>
        I have signed in
      </Button>
      <FailureAlert error={look.error} />
    </Stack>
  );
}
