/** What became of a decision that did not go through. */
import { Alert } from '@mantine/core';
import { FailureAlert } from '../../components/failure-alert.tsx';
import { messageOf } from '../../components/failure-text.ts';
import type { DecisionState } from './decision-state.ts';

export function DecisionAlert({ state, error }: { state: DecisionState; error: unknown }) {
  if (state === 'asking') {
    return (
      <Alert color="yellow" role="alert" title="Your decision was sent, but no answer came">
        Looking whether it arrived…
      </Alert>
    );
  }
  if (state === 'still-open') {
    return (
      <Alert color="yellow" role="alert" title="The request is still open">
        {messageOf(error)} Your decision has not arrived so far. You may send it again: a request is decided
        only once.
      </Alert>
    );
  }
  return state === 'refused' ? <FailureAlert error={error} /> : null;
}
