import type { JudgePattern, PatternTask } from '../contract/patterns.ts';
import { type PatternChecker, PatternsBusyError } from '../patterns/pattern-checker.ts';
import { ApiError } from './errors.ts';

/** Runs expressions for a user, in the thread: one user may have many workspaces. Throws 503 `unavailable` when too many wait already. */
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
