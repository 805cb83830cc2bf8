/** Refusals, as failures that a caller reads by their type. */
import { ActivityFailure, ApplicationFailure } from '@temporalio/workflow';
import type { RefusalType } from '../contract/workflows.ts';

export function refusal(sentence: string, type: RefusalType): ApplicationFailure {
  return ApplicationFailure.nonRetryable(sentence, type);
}

/** What an activity failed with; local ones fail with it directly. */
export const causeOf = (error: unknown): unknown => (error instanceof ActivityFailure ? error.cause : error);

/** The sentence of an activity's refusal of this type, or null for any other error. */
export function sentenceOf(error: unknown, type: RefusalType): string | null {
  const cause = causeOf(error);
  return cause instanceof ApplicationFailure && cause.type === type ? cause.message : null;
}

/** Whether the activity refused permanently; false for what may pass by itself. */
export function isFinal(error: unknown, type: RefusalType): boolean {
  const cause = causeOf(error);
  return cause instanceof ApplicationFailure && cause.type === type && cause.nonRetryable === true;
}

/** An activity's refusal, unwrapped from Temporal's error: the caller reads its type. */
export function unwrapRefusal(error: unknown): unknown {
  if (!(error instanceof ActivityFailure)) {
    return error;
  }
  return error.cause instanceof ApplicationFailure
    ? error.cause
    : refusal('The decision could not be carried out in time; decide again', 'unavailable');
}
