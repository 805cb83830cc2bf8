/**
 * Refusals: answers that no retry changes. Their messages are shown to people, so they
 * never hold a secret's value.
 */
import { ApplicationFailure } from '@temporalio/activity';
import { alreadyDecidedSentence, operatorLeftSentence } from '../contract/sentences.ts';
import type { RefusalType } from '../contract/workflows.ts';

const refusal = (sentence: string, type: RefusalType) => ApplicationFailure.nonRetryable(sentence, type);

/** A session that cannot start, with the sentence that becomes its reason. */
export function launchRefused(sentence: string): ApplicationFailure {
  return refusal(sentence, 'launch_refused');
}

/**
 * The same for transient faults, such as an unreachable registry: becomes the reason once the step's
 * last attempt has failed.
 */
export function launchRefusedForNow(sentence: string): ApplicationFailure {
  return ApplicationFailure.retryable(sentence, 'launch_refused' satisfies RefusalType);
}

/** A remote server that cannot be used, with the sentence for the admin who entered it. */
export const registrationRefused = (sentence: string): ApplicationFailure =>
  refusal(sentence, 'registration_refused');

/** The same for a server that may be in trouble for the moment. */
export const registrationRefusedForNow = (sentence: string): ApplicationFailure =>
  ApplicationFailure.retryable(sentence, 'registration_refused' satisfies RefusalType);

export function operatorLeft(): ApplicationFailure {
  return launchRefused(operatorLeftSentence);
}

export function alreadyDecided(): ApplicationFailure {
  return refusal(alreadyDecidedSentence(), 'already_decided');
}

/** An approval that the API did not sign, or that is for something else. */
export function approvalInvalid(sentence: string): ApplicationFailure {
  return refusal(sentence, 'approval_invalid');
}

/** An approval that lacks the answer of a passkey, or whose answer does not count now. */
export function passkeyRequired(sentence: string): ApplicationFailure {
  return refusal(sentence, 'passkey_required');
}

/** A decision whose maker was told to make it again. */
export function decisionWithdrawn(): ApplicationFailure {
  return refusal('The decision was withdrawn, since nobody carried it out in time', 'decision_withdrawn');
}

/** An approval that came too late; a human can approve again. */
export function approvalExpired(): ApplicationFailure {
  return refusal('The approval expired before it was carried out; approve again', 'approval_expired');
}
