import { ActivityFailure, ApplicationFailure } from '@temporalio/workflow';

/** What an activity refused with, without the layer that Temporal puts around it: the caller reads its type. */
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
