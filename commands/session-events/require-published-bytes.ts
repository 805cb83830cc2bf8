import type { Transaction } from '../../store/database.ts';
import { QuotaExceededError } from '../../store/quotas/quota-exceeded.ts';
import { takePublishedBytes } from '../../store/session-events/published-bytes.ts';

/** Adds to what a session's agent has published. Throws QuotaExceededError when that would exceed `limitBytes`. */
export async function requirePublishedBytes(
  trx: Transaction,
  sessionId: string,
  bytes: { sizeBytes: number; limitBytes: number },
): Promise<void> {
  if (!(await takePublishedBytes(trx, sessionId, bytes))) {
    throw new QuotaExceededError(bytes.limitBytes, 'bytes of what a session publishes');
  }
}
