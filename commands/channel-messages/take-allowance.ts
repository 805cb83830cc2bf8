import { takeMessageAllowance } from '../../store/channel-messages/messages.ts';
import type { Transaction } from '../../store/database.ts';
import { QuotaExceededError } from '../../store/quotas/quota-exceeded.ts';
import { requirePublishedBytes } from '../session-events/require-published-bytes.ts';

export interface MessageLimits {
  perMinute: number;
  publishedBytes: number;
}

/** Counts a message of a session's agent towards its limits. Throws QuotaExceededError when one is reached. */
export async function takeAllowance(
  trx: Transaction,
  sessionId: string,
  sizeBytes: number,
  { perMinute, publishedBytes: limitBytes }: MessageLimits,
): Promise<void> {
  if (!(await takeMessageAllowance(trx, sessionId, { perMinute }))) {
    const seconds = Math.ceil(60 / perMinute);
    throw new QuotaExceededError(perMinute, 'messages a minute', seconds);
  }
  await requirePublishedBytes(trx, sessionId, { sizeBytes, limitBytes });
}
