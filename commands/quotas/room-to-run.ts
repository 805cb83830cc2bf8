import type { Transaction } from '../../store/database.ts';
import type { QuotaHolder } from '../../store/quotas/lock-quota.ts';
import { QuotaExceededError } from '../../store/quotas/quota-exceeded.ts';

/** What runs for a user in a workspace, and how many of it each of the two may have. */
export interface RunningQuota {
  what: 'sessions' | 'checks';
  perUser: number;
  perWorkspace: number;
  /** Those that run, counted up to the limit. */
  count(trx: Transaction, of: QuotaHolder, limit: number): Promise<number>;
}

/** Throws QuotaExceededError unless one more may run for the user, if there is one, and in the workspace. Takes a transaction that locked both quotas. */
export async function requireRoomToRun(
  trx: Transaction,
  { userId, workspaceId }: { userId: string | null; workspaceId: string },
  { what, perUser, perWorkspace, count }: RunningQuota,
): Promise<void> {
  if (userId !== null && (await count(trx, { userId }, perUser)) >= perUser) {
    throw new QuotaExceededError(perUser, `running ${what} per user; one has to end first`);
  }
  if ((await count(trx, { workspaceId }, perWorkspace)) >= perWorkspace) {
    throw new QuotaExceededError(perWorkspace, `running ${what} per workspace; one has to end first`);
  }
}
