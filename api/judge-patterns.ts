import type { JudgePattern, PatternTask } from '../contract/patterns.ts';
import {
  type PatternChecker,
  type PatternOwner,
  PatternsBusyError,
} from '../lib/patterns/pattern-checker.ts';
import { ApiError } from './errors.ts';

/**
 * Runs regular expressions in the thread, accounted to the person and the workspace. Throws 503 `unavailable`
 * when too many are queued.
 */
export async function judgePatterns(
  patterns: PatternChecker,
  owner: PatternOwner,
  tasks: readonly PatternTask[],
): Promise<JudgePattern> {
  try {
    return await patterns.check(owner, tasks);
  } catch (error) {
    throw error instanceof PatternsBusyError
      ? new ApiError('unavailable', 'Other expressions are being checked; try again', {
          retryAfterSeconds: 5,
        })
      : error;
  }
}
