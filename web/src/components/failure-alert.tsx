import { Button, List, VisuallyHidden } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { api, call } from '../api/client.ts';
import { ApiFailure } from '../api/failure.ts';
import { keys } from '../api/keys.ts';
import { Banner } from './banner.tsx';
import { failureMessage } from './failure-text.ts';
import { useLeadToProblem } from './use-lead-to-problem.ts';

/**
 * The only way in which a form reports a failure, above its buttons: the request's error comes into view and
 * takes the focus, at the first field that has a problem or else here. So does what the form itself rejects
 * when it is submitted.
 * Problems that a field shows (`shownAtFields`, by path) are left out; the others are listed, so that none is
 * silently dropped. `values` is what the form holds: once it changes, the message is about something else and
 * goes. `takesFocus={false}` is for a form where the person continues to type.
 */
export function FailureAlert({
  error,
  shownAtFields = [],
  values,
  takesFocus = true,
}: {
  error: unknown;
  shownAtFields?: readonly string[];
  values?: unknown;
  takesFocus?: boolean;
}) {
  const ref = useRef<HTMLDivElement>(null);
  const isStale = useIsStale(error, values);
  useLeadToProblem(ref, error, { takesFocus });
  return <div ref={ref}>{isStale ? null : <Message error={error} shownAtFields={shownAtFields} />}</div>;
}

function Message({ error, shownAtFields }: { error: unknown; shownAtFields: readonly string[] }) {
  if (error === null || error === undefined) {
    return null;
  }
  const failure = error instanceof ApiFailure ? error : null;
  const rest = failure?.fields.filter(({ path }) => path === '' || !shownAtFields.includes(path)) ?? [];
  if (failure?.code === 'validation_failed' && failure.fields.length > 0 && rest.length === 0) {
    // For those who do not see the fields turn red.
    return <VisuallyHidden role="alert">{failureMessage(error)}</VisuallyHidden>;
  }
  return (
    <Banner tone="fail" role="alert" tabIndex={-1} title={failureMessage(error)} className="quiet-focus">
      {rest.length === 0 ? null : (
        <List size="sm">
          {rest.map(({ path, message }) => (
            <List.Item key={`${path} ${message}`}>{path === '' ? message : `${path}: ${message}`}</List.Item>
          ))}
        </List>
      )}
      {failure?.code === 'sign_in_again' ? <SignInAgain /> : null}
      {failure?.uses.length ? (
        <List size="sm">
          {failure.uses.map(({ type, id, name }) => (
            <List.Item key={id}>
              {type} {name}
            </List.Item>
          ))}
        </List>
      ) : null}
    </Banner>
  );
}

/**
 * Whether a form holds other values by now than when `error` came. Without values an error stays until the
 * next attempt.
 */
function useIsStale(error: unknown, values: unknown): boolean {
  const [seen, setSeen] = useState({ error, values });
  if (seen.error !== error) {
    setSeen({ error, values });
    return false;
  }
  return seen.values !== values;
}

/** The way to prove who one is, and back to this page: what it held is to be entered again. */
function SignInAgain() {
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
