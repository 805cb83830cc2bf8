import { Alert, List, VisuallyHidden } from '@mantine/core';
import { ApiFailure } from '../api/failure.ts';
import { messageOf } from './failure-text.ts';

/**
 * What a form's request ended with, above its buttons. Problems that a field shows itself (`shownAtFields`, by path) are
 * left out; the others are listed, so that none is silently dropped. With all of them at their fields there is no box.
 */
export function FailureAlert({
  error,
  shownAtFields = [],
}: {
  error: unknown;
  shownAtFields?: readonly string[];
}) {
  if (error === null || error === undefined) {
    return null;
  }
  const failure = error instanceof ApiFailure ? error : null;
  const rest = failure?.fields.filter(({ path }) => path === '' || !shownAtFields.includes(path)) ?? [];
  if (failure?.code === 'validation_failed' && failure.fields.length > 0 && rest.length === 0) {
    // For those who do not see the fields turn red.
    return <VisuallyHidden role="alert">{messageOf(error)}</VisuallyHidden>;
  }
  return (
    <Alert color="red" role="alert" title={messageOf(error)}>
      {rest.length === 0 ? null : (
        <List size="sm">
          {rest.map(({ path, message }) => (
            <List.Item key={`${path} ${message}`}>{path === '' ? message : `${path}: ${message}`}</List.Item>
          ))}
        </List>
      )}
      {failure?.uses.length ? (
        <List size="sm">
          {failure.uses.map(({ type, id, name }) => (
            <List.Item key={id}>
              {type} {name}
            </List.Item>
          ))}
        </List>
      ) : null}
    </Alert>
  );
}
