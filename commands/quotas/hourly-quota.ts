import type { Transaction } from '../../store/database.ts';
import { type HourlyCreations, readHourlyWait } from '../../store/quotas/counts.ts';
import { QuotaExceededError } from '../../store/quotas/quota-exceeded.ts';

export interface HourlyQuota extends HourlyCreations {
  /** Such as `new sessions an hour per user`. */
  what: string;
}

/** Throws QuotaExceededError when `limit` were created within the last hour, with the time until the oldest of them is an hour old. */
export async function requireHourlyQuota(
  trx: Transaction,
  { what, ...creations }: HourlyQuota,
): Promise<void> {
  const seconds = await readHourlyWait(trx, creations);
  if (seconds > 0) {
    throw new QuotaExceededError(creations.limit, what, seconds);
  }
}
