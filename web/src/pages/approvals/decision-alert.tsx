/** The outcome of a decision that did not go through; `decided` is what the dialog would send now. */
import { Alert } from '@mantine/core';
import { FailureAlert } from '../../components/failure-alert.tsx';
import { failureMessage } from '../../components/failure-text.ts';
import type { DecisionState } from './decision-state.ts';

export function DecisionAlert({
  state,
  error,
  decided,
}: {
  state: DecisionState;
  error: unknown;
  decided: unknown;
}) {
  if (state === 'trying') {
    return (
      <Alert color="yellow" role="alert" title="Your decision was sent, but is not confirmed yet">
        Retrying for up to five minutes, or until the request expires. A request is decided only once. Closing
        this dialog stops the retries.
      </Alert>
    );
  }
  if (state === 'unanswered') {
    return (
      <Alert color="yellow" role="alert" title="Your decision was not confirmed in time">
        {failureMessage(error)} You can send your decision again: a request is decided only once.
      </Alert>
    );
  }
  return state === 'refused' ? <FailureAlert error={error} values={decided} /> : null;
}
