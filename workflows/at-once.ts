/** Short steps that run within the workflow's own task, where each saves the way to the server and back. */
import { ApplicationFailure, isCancellation, TemporalFailure } from '@temporalio/workflow';
import { causeOf } from './refusals.ts';

/**
 * Runs `here`, a local activity with one attempt; whatever keeps it from an answer is left to `durable`, the
 * same activity, which the server retries for as long as it takes without a word in the history. Throws
 * refusals and cancellation at once.
 */
export function atOnce<Input, Result>(
  here: (input: Input) => Promise<Result>,
  durable: (input: Input) => Promise<Result>,
): (input: Input) => Promise<Result> {
  return async (input) => {
    try {
      return await here(input);
    } catch (error) {
      if (isFinal(error)) {
        throw error;
      }
      return durable(input);
    }
  };
}

function isFinal(error: unknown): boolean {
  const cause = causeOf(error);
  const isRefusal = cause instanceof ApplicationFailure && cause.nonRetryable === true;
  return isRefusal || isCancellation(error) || !(error instanceof TemporalFailure);
}
