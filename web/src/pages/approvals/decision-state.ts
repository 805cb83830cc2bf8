/** What is known of a decision that was sent: the stored request says what holds, not the answer alone. Pure. */
import { ApiFailure } from '../../api/failure.ts';

/**
 * `asking`: no answer came, and the request has not been read since. `still-open`: it has been, and was open.
 * `refused`: the API said why not. `too-late`: it was decided before.
 */
export type DecisionState = 'none' | 'asking' | 'still-open' | 'refused' | 'too-late';

export function decisionState(
  error: unknown,
  { failedAtMs, readAtMs }: { failedAtMs: number; readAtMs: number },
): DecisionState {
  if (error === null || error === undefined) {
    return 'none';
  }
  if (error instanceof ApiFailure && error.code === 'already_decided') {
    return 'too-late';
  }
  const mayHaveArrived = !(error instanceof ApiFailure) || error.status === 0 || error.status >= 500;
  if (!mayHaveArrived) {
    return 'refused';
  }
  return readAtMs > failedAtMs ? 'still-open' : 'asking';
}
