import { ApiFailure } from '../api/failure.ts';

/**
 * What to tell a person about an error of a request. Text of unexpected errors is not
 * shown: it may say anything.
 */
export function failureMessage(error: unknown): string {
  return error instanceof ApiFailure ? error.message : 'Something went wrong.';
}
