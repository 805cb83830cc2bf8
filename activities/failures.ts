/** Refusals: answers that no retry changes. Their messages are shown to people, so they never hold a secret's value. */
import { ApplicationFailure } from '@temporalio/activity';

/** A session that cannot start, with the sentence that becomes its reason. */
export function launchRefused(sentence: string): ApplicationFailure {
  return ApplicationFailure.nonRetryable(sentence, 'launch_refused');
}

/** The same for transient faults, such as an unreachable registry: becomes the reason once the step's last attempt has failed. */
export function launchRefusedForNow(sentence: string): ApplicationFailure {
  return ApplicationFailure.retryable(sentence, 'launch_refused');
}

export function alreadyDecided(): ApplicationFailure {
  return ApplicationFailure.nonRetryable('The permission request is already decided', 'already_decided');
}

/** An approval that the API did not sign, or that is for something else. */
export function approvalInvalid(sentence: string): ApplicationFailure {
  return ApplicationFailure.nonRetryable(sentence, 'approval_invalid');
}

/** An approval that came too late; a human can approve again. */
export function approvalExpired(): ApplicationFailure {
  return ApplicationFailure.nonRetryable(
    'The approval expired before it was carried out; approve again',
    'approval_expired',
  );
}
