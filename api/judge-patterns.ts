import type { JudgePattern, PatternTask } from '../contract/patterns.ts';
import { type PatternChecker, PatternsBusyError } from '../lib/patterns/pattern-checker.ts';
import { ApiError } from './errors.ts';

/** Runs regular expressions in the thread, accounted per user, who may have many workspaces. Throws 503 `unavailable` when too many are queued. */
export async function judgePatterns(
  patterns: PatternChecker,
  userId: string,
  tasks: readonly PatternTask[],
): Promise<JudgePattern> {
  try {
    return await patterns.check(userId, tasks);
  } catch (error) {
    throw error instanceof PatternsBusyError
      ? new ApiError('unavailable', 'Other expressions are being checked; try again', {
          retryAfterSeconds: 5,
        })
      : error;
  }
}
