/** What a page shows in place of its content: loading, empty, failed, forbidden, or not found. */
import { Button, Center, Code, Group, Stack, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { ApiFailure } from '../api/failure.ts';
import { home } from '../app/paths.ts';
import { SignOutButton } from './sign-out.tsx';

interface StateViewProps {
  title: string;
  text?: ReactNode;
  role?: 'alert' | 'status';
  drawing?: ReactNode;
  children?: ReactNode;
}

export function StateView({ title, text, role, drawing, children }: StateViewProps) {
  return (
    <Center mih={200} p="md" role={role}>
      <Stack align="center" gap="xs" maw={520}>
        {drawing}
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

/**
 * Rows in the place of what comes, after a moment. `isBusy`: a rate limit refused the request, which is tried
 * again.
 */
export function LoadingState({ isBusy = false }: { isBusy?: boolean }) {
  return (
    <div role="status">
      <div role="img" aria-label="Loading" className="skeleton">
        <span />
        <span />
        <span />
        <span />
      </div>
      {isBusy ? <Text c="dimmed">Too many requests at once. This loads by itself in a moment.</Text> : null}
    </div>
  );
}

/** The gate, drawn in lines: nothing has come to it yet. */
function GateDrawing() {
  return (
    <svg className="gate-drawing" viewBox="0 0 72 52" width="72" height="52" aria-hidden="true">
      <path d="M4 48h64M20 48V24a16 16 0 0 1 32 0v24" />
      <path className="gate-bars" d="M30 10v24M42 10v24M20 26h32" />
    </svg>
  );
}

/** Empty: say what it would hold and offer the first step as a child. */
export function EmptyState(props: Omit<StateViewProps, 'role' | 'drawing'>) {
  return <StateView {...props} drawing={<GateDrawing />} />;
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
