/** What a page shows in place of its content: loading, empty, failed, forbidden, or not found. */
import { Button, Center, Code, Group, Loader, Stack, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { ApiFailure } from '../api/failure.ts';
import { home } from '../app/paths.ts';
import { SignOutButton } from './sign-out.tsx';

interface StateViewProps {
  title: string;
  text?: ReactNode;
  role?: 'alert' | 'status';
  children?: ReactNode;
}

export function StateView({ title, text, role, children }: StateViewProps) {
  return (
    <Center mih={200} p="md" role={role}>
      <Stack align="center" gap="xs" maw={520}>
        <Title order={2} size="h4" ta="center">
          {title}
        </Title>
        {text === undefined ? null : (
          <Text c="dimmed" ta="center" component="div">
            {text}
          </Text>
        )}
        {children}
      </Stack>
    </Center>
  );
}

/** `isBusy` says why it takes longer: a rate limit refused the request, which is retried. */
export function LoadingState({ isBusy = false }: { isBusy?: boolean }) {
  return (
    <Center mih={200} role="status">
      <Stack align="center" gap="xs">
        <Loader role="img" aria-label="Loading" />
        {isBusy ? (
          <Text c="dimmed" ta="center">
            Too many requests at once. This loads by itself in a moment.
          </Text>
        ) : null}
      </Stack>
    </Center>
  );
}

/** Empty: say what it would hold and offer the first step as a child. */
export function EmptyState(props: Omit<StateViewProps, 'role'>) {
  return <StateView {...props} />;
}

export function NoPermissionState({ rule }: { rule: string }) {
  return (
    <StateView title="You do not have access" text={rule}>
      <WaysOut />
    </StateView>
  );
}

/** Also for what exists in a workspace that one is no member of: the two look the same. */
export function NotFoundState({
  what,
  text = 'It does not exist, was deleted, or you do not have access to it.',
}: {
  what: string;
  text?: string;
}) {
  return (
    <StateView title={`${what} was not found`} text={text}>
      <WaysOut />
    </StateView>
  );
}

/** One may be in the wrong workspace, or signed in as the wrong person. */
function WaysOut() {
  return (
    <Group gap="xs" justify="center">
      <Button component={Link} href={home} variant="default">
        Go to home page
      </Button>
      <SignOutButton />
    </Group>
  );
}

/**
 * The right view for an error of the API: refused, not found, no answer, or an internal error. `what`
 * names what was asked for.
 */
export function FailedState({ error, retry, what }: { error: unknown; retry?: () => void; what: string }) {
  if (error instanceof ApiFailure && error.status === 403) {
    return <NoPermissionState rule={error.message} />;
  }
  if (error instanceof ApiFailure && error.status === 404) {
    return <NotFoundState what={what} />;
  }
  const failure = error instanceof ApiFailure ? error : null;
  return (
    <StateView
      role="alert"
      title={`${what} could not be loaded`}
      text={failure?.message ?? 'Something went wrong.'}
    >
      {failure?.requestId ? <Code>Request ID {failure.requestId}</Code> : null}
      {retry === undefined ? null : (
        <Button variant="default" onClick={retry}>
          Try again
        </Button>
      )}
    </StateView>
  );
}
