import { ActivityFailure, ApplicationFailure } from '@temporalio/workflow';

/** An activity's refusal, unwrapped from Temporal's error: the caller reads its type. */
export function refusalOf(error: unknown): unknown {
  if (!(error instanceof ActivityFailure)) {
    return error;
  }
  return error.cause instanceof ApplicationFailure
    ? error.cause
    : ApplicationFailure.nonRetryable(
        'The decision could not be carried out in time; decide again',
        'unavailable',
      );
}
